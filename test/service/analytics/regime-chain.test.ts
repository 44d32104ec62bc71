import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chainWindow, stateProbabilities } from '#src/service/analytics/regime-chain.ts';
import { normal, seededRandom } from './bars.ts';

/** Returns hourly returns with a daily deviation of 1 and this drift a day. */
const drifting = (hours: number, drift: number, seed = 5): Float64Array => {
  const random = seededRandom(seed);
  return Float64Array.from({ length: hours }, () => drift / 24 + normal(random) / Math.sqrt(24));
};

it('without a past says the same of a rise and a fall, and little of a stall', () => {
  const [fall, stall, rise] = stateProbabilities(new Float64Array());
  expect(fall).toBeCloseTo(rise, 12);
  expect(fall + stall + rise).toBeCloseTo(1, 12);
  expect(stall).toBeGreaterThan(0.05);
  expect(stall).toBeLessThan(0.2);
});

it('mirrored returns have mirrored probabilities', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -300, max: 300 }), { minLength: 10, maxLength: 400 }), (moves) => {
      const [fall, stall, rise] = stateProbabilities(Float64Array.from(moves, (move) => move * 1e-4));
      const mirrored = stateProbabilities(Float64Array.from(moves, (move) => -move * 1e-4));
      expect(mirrored[0]).toBeCloseTo(rise, 2);
      expect(mirrored[1]).toBeCloseTo(stall, 2);
      expect(mirrored[2]).toBeCloseTo(fall, 2);
    }),
  );
});

it('does not depend on the unit of the returns', () => {
  const returns = drifting(600, 0.5);
  expect(stateProbabilities(returns.map((r) => r / 64))).toEqual(stateProbabilities(returns));
});

it('a rise is a rise, a fall a fall, and days without a move after a trend a stall', () => {
  expect(stateProbabilities(drifting(1_000, 4))[2]).toBeGreaterThan(0.7);
  expect(stateProbabilities(drifting(1_000, -4))[0]).toBeGreaterThan(0.7);
  const stalled = Float64Array.from([...drifting(1_000, 1), ...drifting(20 * 24, 0).map((r) => r / 20)]);
  // An hour may be the first of the next trend, so its probability depends on its own return.
  const lastDay = Array.from({ length: 24 }, (_, i) =>
    stateProbabilities(stalled.subarray(0, stalled.length - i)),
  );
  expect(lastDay.reduce((sum, [, stall]) => sum + stall, 0) / 24).toBeGreaterThan(0.5);
});

it('depends on nothing before its window', () => {
  const returns = drifting(chainWindow, 0.3);
  const longer = Float64Array.from([...drifting(500, -2, 9), ...returns]);
  const window = longer.subarray(longer.length - chainWindow);
  expect(stateProbabilities(window)).toEqual(stateProbabilities(returns));
});
