import { describe, expect, it } from 'vitest';
import { accept, createHistory } from '#src/web/completion.ts';

describe('a completion taken', () => {
  it.each([
    ['stands for a command half typed', 'fu', 'funding', 'funding '],
    ['stands for the last word', 'funding bt', 'BTCUSDT', 'funding BTCUSDT '],
    ['follows a space', 'funding ', 'BTCUSDT', 'funding BTCUSDT '],
    ['may be the whole line', 'funding bt', 'funding BTCUSDT', 'funding BTCUSDT '],
  ])('%s', (_rule, line, suggestion, result) => {
    expect(accept(line, suggestion)).toBe(result);
  });
});

describe('the history', () => {
  it('goes back to the oldest, forward again, and keeps the draft', () => {
    const history = createHistory(['a', 'b']);
    expect([history.back('dra'), history.back('b'), history.back('a')]).toEqual(['b', 'a', 'a']);
    expect([history.forward(), history.forward(), history.forward()]).toEqual(['b', 'dra', undefined]);
  });

  it('keeps a line once, where it was typed last, and no more than it may', () => {
    const history = createHistory([], 2);
    for (const line of ['a', 'b', 'c', 'b']) history.add(line);
    expect([history.back(''), history.back(''), history.back('')]).toEqual(['b', 'c', 'c']);
  });
});
