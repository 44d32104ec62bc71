import { describe, expect, it } from 'vitest';
import { createHistory } from '#src/web/history.ts';

describe('the command history', () => {
  it('goes back to the oldest line and forward again, and keeps the draft', () => {
    const history = createHistory(['a', 'b']);
    expect([history.back('dra'), history.back('b'), history.back('a')]).toEqual(['b', 'a', 'a']);
    expect([history.forward(), history.forward(), history.forward()]).toEqual(['b', 'dra', undefined]);
  });

  it('keeps a line once, at its last position, and is limited in length', () => {
    const history = createHistory([], 2);
    for (const line of ['a', 'b', 'c', 'b']) history.add(line);
    expect([history.back(''), history.back(''), history.back('')]).toEqual(['b', 'c', 'c']);
  });
});
