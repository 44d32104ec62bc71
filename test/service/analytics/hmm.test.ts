import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { filter, type GaussianHmm, logDensities } from '#src/service/analytics/hmm.ts';
import { expect as expectStates } from '#test/bench/regime/baum-welch.ts';
import { describeWith, recordings } from '#test/support/needs.ts';

const recordedJson = (file: string): unknown => JSON.parse(readFileSync(join(recordings, file), 'utf8'));
const numbers = z.array(z.number());

describeWith('../shared/market-data', 'reference cases', () => {
  it('the federal funds rate: log-likelihood within 1e-4, filtered and smoothed probabilities within 1e-5', () => {
    const reference = z
      .object({
        x: numbers,
        transmat: z.array(numbers),
        startprob_stationary: numbers,
        means: numbers,
        variance_common: z.number(),
        loglik: z.number(),
        filtered_state0: numbers,
        smoothed_state0: numbers,
      })
      .parse(recordedJson('hmm_reference_fedfunds.json'));
    const model: GaussianHmm = {
      states: 2,
      features: 1,
      start: Float64Array.from(reference.startprob_stationary),
      transition: Float64Array.from(reference.transmat.flat()),
      means: Float64Array.from(reference.means),
      variances: Float64Array.from([reference.variance_common, reference.variance_common]),
    };
    const forward = filter(model, logDensities(model, Float64Array.from(reference.x)));
    const { posterior } = expectStates(model, forward);
    expect(Math.abs(forward.logLikelihood - reference.loglik)).toBeLessThan(1e-4);
    for (const [probabilities, known] of [
      [forward.filtered, reference.filtered_state0],
      [posterior, reference.smoothed_state0],
    ] as const) {
      const worst = Math.max(...known.map((p, t) => Math.abs(p - (probabilities[2 * t] ?? Number.NaN))));
      expect(worst).toBeLessThan(1e-5);
    }
  });

  it('the umbrella case: posteriors to 4 digits from emissions that are not Gaussian', () => {
    const reference = z
      .object({
        startprob: numbers,
        transmat: z.array(numbers),
        frameprob: z.array(numbers),
        loglik: z.number(),
        posteriors: z.array(numbers),
      })
      .parse(recordedJson('hmm_reference_discrete.json'));
    const chain = {
      states: 2,
      start: Float64Array.from(reference.startprob),
      transition: Float64Array.from(reference.transmat.flat()),
    };
    const forward = filter(chain, Float64Array.from(reference.frameprob.flat(), Math.log));
    expect(forward.logLikelihood).toBeCloseTo(reference.loglik, 4);
    const { posterior } = expectStates(chain, forward);
    reference.posteriors.flat().forEach((p, i) => {
      expect(posterior[i]).toBeCloseTo(p, 4);
    });
  });
});

const probability = fc.double({ min: 0.01, max: 1, noNaN: true });
const distribution = (length: number) =>
  fc.array(probability, { minLength: length, maxLength: length }).map((weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  });
const finite = fc.double({ min: -5, max: 5, noNaN: true });

export const anyModel = (states: number, features: number) =>
  fc
    .record({
      start: distribution(states),
      transition: fc.array(distribution(states), { minLength: states, maxLength: states }),
      means: fc.array(finite, { minLength: states * features, maxLength: states * features }),
      variances: fc.array(fc.double({ min: 0.1, max: 3, noNaN: true }), {
        minLength: states * features,
        maxLength: states * features,
      }),
    })
    .map(
      ({ start, transition, means, variances }): GaussianHmm => ({
        states,
        features,
        start: Float64Array.from(start),
        transition: Float64Array.from(transition.flat()),
        means: Float64Array.from(means),
        variances: Float64Array.from(variances),
      }),
    );

describe('filter', () => {
  it('gives the likelihood that summing over every path gives', () => {
    fc.assert(
      fc.property(anyModel(2, 1), fc.array(finite, { minLength: 1, maxLength: 6 }), (model, values) => {
        const densities = logDensities(model, Float64Array.from(values));
        // In logarithms, because a product of six small densities is 0 in floating point.
        const paths = Array.from({ length: 2 ** values.length }, (_, path) =>
          values.reduce((sum, _, t) => {
            const state = (path >> t) & 1;
            const from = (path >> (t - 1)) & 1;
            const reached = t === 0 ? model.start[state] : model.transition[from * 2 + state];
            return sum + Math.log(reached ?? Number.NaN) + (densities[t * 2 + state] ?? Number.NaN);
          }, 0),
        );
        const likeliest = Math.max(...paths);
        const sum = paths.reduce((total, path) => total + Math.exp(path - likeliest), 0);
        expect(filter(model, densities).logLikelihood).toBeCloseTo(likeliest + Math.log(sum), 6);
      }),
    );
  });

  it('is causal: later observations change no earlier probability', () => {
    fc.assert(
      fc.property(anyModel(3, 2), fc.array(fc.tuple(finite, finite), { minLength: 2 }), (model, rows) => {
        const whole = filter(model, logDensities(model, Float64Array.from(rows.flat()))).filtered;
        const cut = filter(model, logDensities(model, Float64Array.from(rows.slice(0, -1).flat()))).filtered;
        expect(whole.slice(0, cut.length)).toEqual(cut);
      }),
    );
  });

  it('stays a distribution even for observations that no state expects', () => {
    const model: GaussianHmm = {
      states: 2,
      features: 1,
      start: Float64Array.of(1, 0),
      transition: Float64Array.of(1, 0, 0, 1),
      means: Float64Array.of(-1, 1),
      variances: Float64Array.of(0.01, 0.01),
    };
    const { filtered, logLikelihood } = filter(model, logDensities(model, Float64Array.of(1e3, -1e3, 1e3)));
    expect([...filtered]).toEqual([1, 0, 1, 0, 1, 0]);
    expect(logLikelihood).toBeLessThan(-1e3);
  });
});
