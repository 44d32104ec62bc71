import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filter, type GaussianHmm, logDensities } from '#src/service/analytics/hmm.ts';
import { baumWelch, fitBest } from '#test/bench/regime/baum-welch.ts';
import { coldShares, coldStarts, orderStates, type Shares } from '#test/bench/regime/cold-start.ts';
import { normal, seededRandom } from '#test/service/analytics/bars.ts';

/** Draws observations from three states at −2, 0 and 2 that last 40 steps on average. */
function sample(seed: number, rows: number): Float64Array {
  const random = seededRandom(seed);
  let state = 1;
  return Float64Array.from({ length: rows }, () => {
    if (random() < 1 / 40) state = Math.floor(random() * 3);
    return 2 * (state - 1) + 0.5 * normal(random);
  });
}

function only(observations: Float64Array, features: number, shares: Shares): GaussianHmm {
  const [start] = coldStarts(observations, features, [shares]);
  if (start === undefined) throw new Error('one start was asked for');
  return start;
}

const likelihood = (model: GaussianHmm, observations: Float64Array) =>
  filter(model, logDensities(model, observations)).logLikelihood;

describe('baumWelch', () => {
  it('never lowers the likelihood, from any start, whatever the observations and the floor', () => {
    const value = fc.double({ min: -5, max: 5, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { minLength: 8, maxLength: 60 }),
        fc.constantFrom(...coldShares),
        fc.constantFrom(1e-3, 0.05, 1),
        (rows, shares, varianceFloor) => {
          const observations = Float64Array.from(rows.flat());
          let model = only(observations, 2, shares);
          let before = Number.NEGATIVE_INFINITY;
          for (let i = 0; i < 12; i++) {
            const fit = baumWelch(model, observations, {
              varianceFloor,
              maxIterations: 1,
              tolerance: -Infinity,
            });
            expect(fit.logLikelihood).toBeGreaterThanOrEqual(before - 1e-7 * Math.abs(before));
            before = fit.logLikelihood;
            model = fit.model;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps every variance at or above the floor', () => {
    const constant = new Float64Array(50).fill(3);
    const { model, logLikelihood } = baumWelch(only(constant, 1, [0.25, 0.5, 0.25]), constant, {
      varianceFloor: 0.05,
      maxIterations: 20,
      tolerance: 0,
    });
    expect([...model.variances]).toEqual([0.05, 0.05, 0.05]);
    expect(logLikelihood).toBeGreaterThan(0);
  });

  it('finds the states that generated the observations', () => {
    const observations = sample(1, 3000);
    const starts = coldStarts(observations, 1);
    const { model } = fitBest(starts, observations, {
      varianceFloor: 0.01,
      maxIterations: 100,
      tolerance: 1e-7,
    });
    const { means, variances, transition } = orderStates(model);
    [-2, 0, 2].forEach((mean, k) => {
      expect(means[k]).toBeCloseTo(mean, 1);
      expect(variances[k]).toBeCloseTo(0.25, 1);
      expect(transition[4 * k]).toBeGreaterThan(0.95);
    });
  });
});

describe('fitBest', () => {
  it('is at least as likely as each of its starts alone', () => {
    const observations = sample(2, 400);
    const options = { varianceFloor: 0.05, maxIterations: 30, tolerance: 1e-6 };
    const starts = coldStarts(observations, 1);
    const best = fitBest(starts, observations, options).logLikelihood;
    for (const start of starts) {
      expect(best).toBeGreaterThanOrEqual(baumWelch(start, observations, options).logLikelihood);
    }
  });
});

describe('orderStates', () => {
  it('orders states by the mean of their first feature and changes nothing else', () => {
    const observations = sample(3, 200);
    const model = only(observations, 1, [0.3, 0.4, 0.3]);
    const shuffled: GaussianHmm = {
      ...model,
      start: Float64Array.of(0.2, 0.3, 0.5),
      transition: Float64Array.of(0.8, 0.15, 0.05, 0.02, 0.9, 0.08, 0.01, 0.09, 0.9),
      means: Float64Array.of(1, -1, 0),
    };
    const ordered = orderStates(shuffled);
    expect([...ordered.means]).toEqual([-1, 0, 1]);
    expect([...ordered.start]).toEqual([0.3, 0.5, 0.2]);
    expect([...ordered.transition]).toEqual([0.9, 0.08, 0.02, 0.09, 0.9, 0.01, 0.15, 0.05, 0.8]);
    expect(likelihood(ordered, observations)).toBeCloseTo(likelihood(shuffled, observations), 9);
  });
});
