import { expect, test } from 'vitest';
import { ageOf, bestAge } from './ages.ts';

test.each([
  ['every publication asked for at once', { every: 300, late: 15 }, 12, { mean: 165, worst: 315 }],
  ['more requests than publications give no more', { every: 300, late: 15 }, 40, { mean: 165, worst: 315 }],
  ['every third', { every: 300, late: 15 }, 4, { mean: 465, worst: 915 }],
  ['between two numbers, some wait for one more', { every: 300, late: 0 }, 8, { mean: 250, worst: 600 }],
] as const)('bestAge returns the age of the best schedule: %s', (_, publication, requests, best) => {
  expect(bestAge(publication, { requests, stretch: 3_600 })).toEqual(best);
});

test('an age grows until newer rows are received, and counts only within the stretch', () => {
  const looks = [
    { at: -50, stamp: -60 },
    { at: 40, stamp: 30 },
    { at: 90, stamp: 30 },
  ];
  expect(ageOf(looks, { from: 0, to: 100 })).toEqual({
    mean: (40 * 80 + 60 * 40) / 100,
    worst: 100,
  });
});
