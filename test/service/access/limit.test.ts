import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf, createLimiter } from '#src/service/access/limit.ts';

describe('the limit of requests', () => {
  it('is never exceeded in any window of its length, and a client that waits as told is accepted', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 }),
        (max, steps) => {
          const limiter = createLimiter(100);
          let now = 0;
          const passed: number[] = [];
          for (const step of steps) {
            now += step;
            const within = passed.filter((time) => time > now - 100).length;
            const wait = limiter.take('a', { max, now });
            expect(wait === 0).toBe(within < max);
            if (wait > 0) {
              now += wait;
              expect(limiter.take('a', { max, now })).toBe(0);
            }
            passed.push(now);
          }
        },
      ),
    );
  });

  it('counts a burst at the end of one quarter of an hour and at the beginning of the next as one burst', () => {
    const limiter = createLimiter(900);
    for (let i = 0; i < 300; i++) expect(limiter.take('a', { max: 300, now: 890 })).toBe(0);
    expect(limiter.take('a', { max: 300, now: 910 })).toBe(880);
    expect(limiter.take('a', { max: 300, now: 1790 })).toBe(0);
  });

  it('counts pools separately, with limits of their own or without a limit', () => {
    const limiter = createLimiter(100);
    for (const pool of ['a', 'b']) expect(limiter.take(pool, { max: 1, now: 0 })).toBe(0);
    expect(limiter.take('a', { max: 1, now: 1 })).toBe(99);
    expect(limiter.take('a', { max: 2, now: 1 })).toBe(0);
    for (let i = 0; i < 1000; i++)
      expect(limiter.take('c', { max: Number.POSITIVE_INFINITY, now: 1 })).toBe(0);
    limiter.forget('b');
    expect(limiter.take('b', { max: 1, now: 1 })).toBe(0);
  });

  it('has one pool per client, however its address is written', () => {
    const same = [
      ['203.0.113.7', '::ffff:203.0.113.7'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ];
    for (const [a = '', b = ''] of same) expect(clientOf(a)).toBe(clientOf(b));
    expect(clientOf('2001:db8:1:2::1')).not.toBe(clientOf('2001:db8:1:3::1'));
    expect(clientOf('203.0.113.7')).not.toBe(clientOf('203.0.113.8'));
    expect(clientOf('')).toBe('');
  });

  it('uses bounded memory: the least recently used pool is forgotten', () => {
    const limiter = createLimiter(1_000_000);
    limiter.take('in use', { max: 2, now: 0 });
    limiter.take('unused', { max: 1, now: 0 });
    limiter.take('in use', { max: 2, now: 0 });
    for (let i = 0; i < 9_999; i++) limiter.take(`${i}`, { max: 1, now: 0 });
    expect(limiter.take('in use', { max: 2, now: 0 })).toBeGreaterThan(0);
    expect(limiter.take('unused', { max: 1, now: 0 })).toBe(0);
  });
});
