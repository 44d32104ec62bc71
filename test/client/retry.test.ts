import { describe, expect, it, test } from 'vitest';
import { backoff, pauseAfterRefusals } from '#src/client/retry.ts';

describe('the pause before a retry', () => {
  it.each([
    [0, 500],
    [1, 1_000],
    [4, 8_000],
    [9, 8_000],
  ])(
    'of attempt %i lies anywhere from 0 to %i ms, so that clients do not return together',
    (attempt, most) => {
      expect([0, 0.25, 1].map((random) => backoff(attempt, () => random))).toEqual([0, most / 4, most]);
    },
  );
});

test('a service that refuses is asked again after 1 s, twice as long after each further refusal, 30 s at most', () => {
  expect([1, 2, 3, 6, 9].map(pauseAfterRefusals)).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
});
