import { expect, test } from 'vitest';
import { changeText } from '#src/card/market-then.ts';
import { plainReader, say } from '#src/language/say.ts';

test.each([
  [0.049, 'unchanged in 1 h'],
  [-0.049, 'unchanged in 1 h'],
  [0.05, 'up 0.1% in 1 h'],
  [-0.05, 'down 0.1% in 1 h'],
])('a change of %f % is none if it rounds to nothing', (pct, said) => {
  expect(say(changeText(pct, '1 h') ?? '', plainReader)).toBe(said);
});
