import { expect, test } from 'vitest';
import { createGuesses, TooOften } from '#src/platforms/web/guesses.ts';
import { day, second } from '#src/runtime/units.ts';

function guessing() {
  let now = 0;
  const guesses = createGuesses(() => now);
  const wrong = (address: string, times: number) => {
    let refused = 0;
    for (let n = 0; n < times; n += 1)
      try {
        guesses.begin(address, `wrong ${address} ${n}`);
      } catch (error) {
        if (!(error instanceof TooOften)) throw error;
        refused += 1;
      }
    return refused;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { guesses, wrong, pass };
}

test('wrong tokens are slowed by address: ten at once, then ten a minute', () => {
  const { wrong, pass } = guessing();
  expect(wrong('192.0.2.1', 15)).toBe(5);
  expect(wrong('192.0.2.2', 5)).toBe(0);
  pass(60 * second);
  expect(wrong('192.0.2.1', 15)).toBe(5);
});

test('a right one is not counted, and is never slowed once it has been right', () => {
  const { guesses, wrong } = guessing();
  for (let n = 0; n < 30; n += 1) guesses.begin('192.0.2.1', 'the right one').succeed();
  wrong('192.0.2.1', 20);
  expect(() => guesses.begin('192.0.2.1', 'the right one')).not.toThrow();
  expect(() => guesses.begin('192.0.2.1', 'another')).toThrow(TooOften);
});

test('the addresses of one IPv6 network count together, and an IPv4 address in either form', () => {
  const { wrong } = guessing();
  expect(wrong('2001:db8:1:2::1', 10)).toBe(0);
  expect(wrong('2001:db8:1:2:ffff::9', 2)).toBe(2);
  expect(wrong('2001:db8:1:3::1', 2)).toBe(0);
  expect(wrong('::ffff:192.0.2.1', 10)).toBe(0);
  expect(wrong('192.0.2.1', 1)).toBe(1);
});

test('a clock that is set back locks nobody out for long', () => {
  const { wrong, pass } = guessing();
  pass(300 * day);
  wrong('192.0.2.1', 20);
  pass(-300 * day);
  pass(60 * second);
  expect(wrong('192.0.2.1', 1)).toBe(0);
});
