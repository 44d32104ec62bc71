import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  brierScore,
  builtInWeights,
  calibrate,
  calibrateProbabilities,
  type JudgedHour,
} from '#src/service/analytics/calibration.ts';
import { seededRandom } from './bars.ts';

const filtered = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 })
  .map((parts) => {
    const total = parts.reduce((sum, part) => sum + part, 0);
    return total > 0 ? parts.map((part) => part / total) : [1 / 3, 1 / 3, 1 / 3];
  });

/** Creates hours whose true state follows `truth`, given the filter's probabilities. */
function hours(count: number, truth: (p: readonly number[], random: () => number) => number): JudgedHour[] {
  const random = seededRandom(11);
  return Array.from({ length: count }, () => {
    const parts = [random(), random(), random()];
    const total = parts.reduce((sum, part) => sum + part, 0);
    const p = parts.map((part) => part / total);
    return { filtered: p, stalled: random() < 0.3, truth: truth(p, random) };
  });
}
const drawn = (p: readonly number[], random: () => number): number => {
  const at = random();
  return at < (p[0] ?? 0) ? 0 : at < (p[0] ?? 0) + (p[1] ?? 0) ? 1 : 2;
};

describe('calibrated probabilities', () => {
  it('sum to 1 for any input', () => {
    fc.assert(
      fc.property(filtered, fc.boolean(), (p, stalled) => {
        const q = calibrateProbabilities({ filtered: p, stalled }, builtInWeights);
        expect(q.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
        expect(Math.min(...q)).toBeGreaterThan(0);
      }),
    );
  });

  it('treat a fall as the mirror of a rise', () => {
    fc.assert(
      fc.property(filtered, fc.boolean(), (p, stalled) => {
        const q = calibrateProbabilities({ filtered: p, stalled }, builtInWeights);
        const mirrored = calibrateProbabilities(
          { filtered: [...p].reverse(), stalled },
          builtInWeights,
        ).reverse();
        for (const [k, value] of q.entries()) expect(mirrored[k]).toBeCloseTo(value, 9);
      }),
    );
  });
});

describe('the calibration', () => {
  it('is the built-in one without data', () => {
    expect(calibrate([])).toEqual(builtInWeights);
  });

  it('leaves a well calibrated filter unchanged', () => {
    const { sharpness, stall, stalled } = calibrate(hours(60_000, drawn));
    expect(sharpness).toBeCloseTo(1, 1);
    expect(Math.abs(stall)).toBeLessThan(0.3);
    expect(Math.abs(stalled)).toBeLessThan(0.3);
  });

  it('lowers the sharpness of a filter without information to nearly nothing', () => {
    const blind = calibrate(hours(60_000, (_, random) => Math.floor(random() * 3)));
    expect(Math.abs(blind.sharpness)).toBeLessThan(0.15);
  });

  it('makes the past likelier than the built-in one', () => {
    const past = hours(5_000, (p, random) => (random() < 0.5 ? 1 : drawn(p, random)));
    const learned = calibrate(past);
    const score = (weights: typeof learned) =>
      brierScore(past.map((each) => ({ p: calibrateProbabilities(each, weights), truth: each.truth })));
    expect(score(learned)).toBeLessThan(score(builtInWeights));
  });
});
