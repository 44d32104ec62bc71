import { expect, it } from 'vitest';
import { createHistory } from '#src/web/history.ts';

const historyOf = (...lines: readonly string[]) => {
  const history = createHistory();
  for (const line of lines) history.add(line);
  return history;
};

it('goes back to the oldest line and forward again, and keeps the draft', () => {
  const history = historyOf('a', 'b');
  expect([history.back('dra'), history.back('b'), history.back('a')]).toEqual(['b', 'a', 'a']);
  expect([history.forward(), history.forward(), history.forward()]).toEqual(['b', 'dra', undefined]);
});

it('keeps a line once, at its last position, and a hundred lines', () => {
  const many = Array.from({ length: 100 }, (_, n) => `line ${n}`);
  const history = historyOf('forgotten', 'twice', ...many.slice(1), 'twice');
  const all = Array.from({ length: 102 }, () => history.back(''));
  expect(all.slice(0, 2)).toEqual(['twice', 'line 99']);
  expect([new Set(all).size, all.at(-1)]).toEqual([100, 'line 1']);
});
