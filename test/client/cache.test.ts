import { describe, expect, it } from 'vitest';
import { AnswerCache } from '#src/client/cache.ts';
import { minute } from '#src/runtime/units.ts';

describe('cached responses', () => {
  it('are those still valid: after a day of different queries, those of the last minutes', () => {
    const cache = new AnswerCache<object>(400);
    let most = 0;
    for (let at = 0; at < 24 * 60 * minute; at += minute) {
      cache.set(`/liquidations?since=${at}`, { value: {}, at, until: at + 15 * minute });
      most = Math.max(most, cache.size);
    }
    expect(most).toBe(16);
  });

  it('stay for as long as they are valid, whatever else is requested', () => {
    const cache = new AnswerCache<string>(400);
    cache.set('daily', { value: 'kept', at: 0, until: 60 * minute });
    for (let at = 0; at <= 60 * minute; at += minute) {
      cache.set(`other ${at}`, { value: '', at, until: at });
      expect(cache.get('daily')?.value).toBe('kept');
    }
    for (let n = 0; n < 100; n += 1)
      cache.set(`more ${n}`, { value: '', at: 61 * minute, until: 61 * minute });
    expect(cache.get('daily')).toBeUndefined();
  });

  it('never exceed the limit: the least recently used ones are dropped', () => {
    const cache = new AnswerCache<number>(2);
    const set = (key: string) => cache.set(key, { value: 0, at: 0, until: minute });
    for (const key of ['a', 'b']) set(key);
    cache.get('a');
    set('c');
    expect(['a', 'b', 'c'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c']);
  });
});
