import { expect, test } from 'vitest';
import { type Agreed, nextAgreed } from '#src/detectors/kit/agreed.ts';

/** Returns the agreed value after each letter, where `confirm` letters must agree. */
function run(letters: string, confirm: number, like?: (seen: string, before: string) => string): string {
  let state: Agreed<string> | undefined;
  return [...letters]
    .map((seen) => {
      state = nextAgreed(state, { seen, confirm, keyOf: like && ((before) => like(seen, before)) });
      return state.value;
    })
    .join('');
}
const direction = (seen: string, before: string) => (seen > before ? 'up' : 'down');

test.each<[string, string, number, string, typeof direction | undefined]>([
  ['the first look is believed', 'a', 3, 'a', undefined],
  ['one look agrees with itself', 'aba', 1, 'aba', undefined],
  ['another value counts once so many looks in a row have said it', 'abbb', 3, 'aaab', undefined],
  ['what it was before begins the count anew', 'abbabb', 3, 'aaaaaa', undefined],
  ['so does a third value', 'abbcc', 3, 'aaaaa', undefined],
  ['where only the direction must agree, the last look says what it is', 'abc', 2, 'aac', direction],
  ['and the other direction begins the count anew', 'bcac', 2, 'bbbb', direction],
])('%s', (_rule, letters, confirm, expected, like) => {
  expect(run(letters, confirm, like)).toBe(expected);
});
