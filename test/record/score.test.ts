import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '#src/alert/outcome.ts';
import { meanExcess } from '#src/record/excess.ts';
import { falseDiscoveries, findings } from '#src/record/findings.ts';
import { hoursOf } from '#src/record/hours.ts';
import { leastSquares } from '#src/record/least-squares.ts';
import { enough, judge, score } from '#src/record/score.ts';
import { above, beyond } from '#src/record/student.ts';
import { type UsualMoves, usualMoves } from '#src/record/usual.ts';
import { day, hour } from '#src/runtime/units.ts';
import { normal, seeded } from '#test/support/random.ts';

const begin = Date.UTC(2026, 0, 1);
const scoreOf = (rows: readonly Outcome[], usual: UsualMoves | undefined, horizon = hour) =>
  score(judge(rows, horizon, usual), horizon);

describe('too few alerts', () => {
  const usual: UsualMoves = {
    n: 500,
    beside: () => () => ({ median: 0, size: 0.01, up: 0.5, down: 0.5, own: 0 }),
  };
  const outcome = (index: number, spread: number): Outcome => ({
    kind: 'k',
    symbol: 'A',
    prediction: 'up',
    firedAt: begin + index * spread,
    price: 100,
    after: [101, null, 99],
    estimated: index === 0,
  });
  const many = (count: number, spread: number) =>
    Array.from({ length: count }, (_, index) => outcome(index, spread));

  it.each([
    ['fewer alerts than that', enough.alerts - 1, day, hour, undefined],
    ['on fewer days than that', 50, hour, hour, undefined],
    ['with a price missing at the horizon', 50, day, 4 * hour, undefined],
    ['enough of both', enough.alerts, day, hour, 1],
  ])('%s', (_, count, spread, horizon, share) => {
    expect(scoreOf(many(count, spread), usual, horizon).found?.hits.share).toBe(share);
  });

  it('is also the result if nothing is known about the symbol’s usual moves', () => {
    expect(scoreOf(many(50, day), undefined)).toMatchObject({ n: 0, days: 0 });
    const unlike: UsualMoves = { n: 500, beside: () => () => undefined };
    expect(scoreOf(many(50, day), unlike)).toMatchObject({ n: 0, days: 0 });
  });

  it('comes with the number of alerts and of estimates', () => {
    expect(scoreOf(many(7, day), usual)).toEqual({
      sense: 'way',
      n: 7,
      days: 7,
      estimated: 1,
    });
  });

  it('is judged for one claim only: alerts with a direction are not mixed with others', () => {
    const mixed = [...many(30, day), { ...outcome(31, day), prediction: 'move' as const }];
    expect(scoreOf(mixed, usual)).toMatchObject({ sense: 'way', n: 30 });
  });
});

describe('the usual moves', () => {
  /** Calm and wild periods alternate; the wild ones are ten times as volatile. */
  const random = seeded(5);
  const deviation = (h: number) => (Math.floor(h / 240) % 2 === 0 ? 0.001 : 0.01);
  let log = 0;
  const prices = Array.from({ length: 24 * 60 }, (_, h) => {
    log += deviation(h) * normal(random);
    return { at: h * hour, price: 100 * Math.exp(log) };
  });
  const hourly = (known: typeof prices): UsualMoves | undefined => {
    const hours = hoursOf(known);
    return usualMoves(hours, hours.features(), hour);
  };
  const moves = hourly(prices);
  const like = (h: number) => moves?.beside([])(h * hour, prices[h]?.price ?? Number.NaN);

  it('are those of hours as volatile as the moment', () => {
    const [calm, wild] = [like(700), like(900)];
    // The median of the absolute value of a normal variable is 0.67 of its deviation.
    expect(calm?.size).toBeGreaterThan(0.0004);
    expect(calm?.size).toBeLessThan(0.0011);
    expect(wild?.size).toBeGreaterThan(0.004);
    expect(wild?.size).toBeLessThan(0.011);
  });

  it('depend only on what was known at the moment: later prices change nothing', () => {
    const before = hoursOf(prices.slice(0, 701)).featuresAt(700 * hour, prices[700]?.price ?? 0);
    const scale = (all: readonly { price: number }[]) =>
      Math.sqrt(
        all.slice(1).reduce((sum, { price }, i) => sum + Math.log(price / (all[i]?.price ?? price)) ** 2, 0) /
          (all.length - 1),
      );
    const ratio = scale(prices) / scale(prices.slice(0, 701));
    const later = hoursOf(prices).featuresAt(700 * hour, prices[700]?.price ?? 0);
    // All features but the first and the clipped one are in units of a typical hour.
    for (const index of [1, 3, 4, 5, 6, 7])
      expect((later?.[index] ?? 0) * ratio).toBeCloseTo(before?.[index] ?? Number.NaN, 9);
  });

  it('omit hours with a gap at either end', () => {
    const gappy = prices.filter(({ at }) => at !== 500 * hour);
    // Two moves begin or end in the gap; one hour and four hours after it the preceding move is unknown.
    expect(hourly(gappy)?.n).toBe((moves?.n ?? 0) - 4);
    expect(hourly(gappy)?.beside([])(500 * hour, 100)).toBeUndefined();
  });

  it('are unknown with less than three weeks of prices', () => {
    expect(hourly(prices.slice(0, 20 * 24))).toBeUndefined();
    expect(hourly([])).toBeUndefined();
  });

  it('are known even if nothing moves at all', () => {
    const still = prices.map(({ at }) => ({ at, price: 1 }));
    expect(hourly(still)?.beside([])(700 * hour, 1)).toMatchObject({ size: 0, up: 0, down: 0 });
  });

  it('are as precise between two hours as on the hour', () => {
    const hours = hoursOf(prices);
    const between = Array.from({ length: 600 }, (_, index) => {
      const at = 600 + index;
      const [from = 0, to = 0] = [prices[at]?.price, prices[at + 1]?.price];
      return hours.featuresAt((at + 0.5) * hour, Math.sqrt(from * to))?.[4] ?? Number.NaN;
    });
    const sharp = hours
      .features()
      .slice(600, 1200)
      .map((features) => features?.[4] ?? Number.NaN);
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    // Linear interpolation within the hour hides a part of the volatility.
    expect(mean(between) / mean(sharp)).toBeGreaterThan(0.9);
    expect(mean(between) / mean(sharp)).toBeLessThan(1.05);
  });
});

describe('the alerts’ own hours', () => {
  const random = seeded(11);
  const prices = Array.from({ length: 24 * 60 }, (_, h) => ({ at: h * hour, price: 100 + normal(random) }));
  const hours = hoursOf(prices);
  const moves = usualMoves(hours, hours.features(), 4 * hour);
  const ownAt = (alerts: readonly number[]) =>
    moves?.beside(alerts)(700 * hour, prices[700]?.price ?? Number.NaN)?.own;

  it('are counted by the share of a move that lies after an alert', () => {
    expect(ownAt([])).toBe(0);
    // Every 40 h an alert, and 4 h after it.
    const alerts = Array.from({ length: 36 }, (_, index) => index * 40 * hour);
    expect(ownAt(alerts)).toBeCloseTo(0.1, 1);
    expect(ownAt(prices.map(({ at }) => at))).toBeCloseTo(1, 2);
  });

  it('leave the usual share, so that the difference is that from all other hours', () => {
    // The usual share of 0.55 is that of all hours: a fifth are the alerts' own, which all hit, the others hit in 0.4375.
    const usual: UsualMoves = {
      n: 500,
      beside: () => () => ({ median: 0, size: 0.01, up: 0.55, down: 0.45, own: 0.2 }),
    };
    const hits = Array.from({ length: 40 }, (_, index) => ({
      kind: 'k',
      symbol: 'A',
      prediction: 'up' as const,
      firedAt: begin + index * day,
      price: 100,
      after: [101, null, null],
      estimated: false,
    }));
    const found = scoreOf(hits, usual).found;
    expect(found?.hits.usual).toBeCloseTo(0.4375, 9);
    expect(found?.excess.mean).toBeCloseTo(0.5625, 9);
  });

  it('leave nothing to compare with if they are almost all hours', () => {
    const usual: UsualMoves = {
      n: 500,
      beside: () => () => ({ median: 0, size: 0.01, up: 0.5, down: 0.5, own: 0.9 }),
    };
    const rows = Array.from({ length: 40 }, (_, index) => ({
      kind: 'k',
      symbol: 'A',
      prediction: 'up' as const,
      firedAt: begin + index * day,
      price: 100,
      after: [101, null, null],
      estimated: false,
    }));
    expect(scoreOf(rows, usual)).toMatchObject({ n: 40 });
    expect(scoreOf(rows, usual).found).toBeUndefined();
  });
});

describe('Student’s t distribution', () => {
  it.each([
    [2.228, 10, 0.05],
    [2.086, 20, 0.05],
    [4.587, 10, 0.001],
    [1.96, 1e6, 0.05],
    [0, 7, 1],
  ])('has, for %d with %d degrees of freedom, the tail %d', (t, freedom, share) => {
    expect(beyond(t, freedom)).toBeCloseTo(share, 4);
  });

  it('is the inverse of its quantiles', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 0.49, noNaN: true }),
        fc.integer({ min: 3, max: 200 }),
        (share, freedom) => {
          expect(beyond(above(share, freedom), freedom) / 2).toBeCloseTo(share, 6);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the error of a mean', () => {
  const alone = (values: readonly number[], per = 1) =>
    values.map((value, index) => ({ block: Math.floor(index / per), value, variance: 0.25 }));
  const random = seeded(3);
  const coins = Array.from({ length: 400 }, () => (random() < 0.5 ? 0.5 : -0.5));

  it('is never less than for independent values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ block: fc.nat(20), value: fc.double({ min: -1, max: 1, noNaN: true }) }), {
          minLength: 1,
          maxLength: 40,
        }),
        fc.constantFrom(1, 3),
        (values, lags) => {
          const own = values.map((each) => ({ ...each, variance: 0.25 }));
          const { error, mean } = meanExcess(own, lags);
          expect(error).toBeGreaterThanOrEqual(0.5 / Math.sqrt(values.length) - 1e-12);
          expect(Math.abs(mean)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('grows if alerts of one day, and of neighbouring days, agree', () => {
    const same = coins.slice(0, 40).flatMap((value) => Array.from({ length: 10 }, () => value));
    const { error } = meanExcess(alone(coins), 1);
    expect(meanExcess(alone(same, 10), 1).error).toBeGreaterThan(2.5 * error);
    expect(meanExcess(alone(same, 5), 3).error).toBeGreaterThan(2 * error);
  });
});

describe('the findings', () => {
  const estimate = (mean: number, error = 0.05) => ({ usual: 0.5, mean, error, freedom: 60 });

  it('say more or less exactly if the interval excludes 0', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -0.4, max: 0.4, noNaN: true }), { maxLength: 30 }), (means) => {
        for (const { verdict: says, interval: edge } of findings(means.map((mean) => estimate(mean)))) {
          expect(says === 'more').toBe(edge[0] > 0);
          expect(says === 'less').toBe(edge[1] < 0);
        }
      }),
    );
  });

  it('are those of Benjamini and Hochberg', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -0.3, max: 0.3, noNaN: true }), { minLength: 1 }), (means) => {
        const chances = means.map((mean) => beyond(mean / 0.05, 60));
        const sorted = chances.toSorted((a, b) => a - b);
        const last = sorted.findLastIndex((p, at) => p <= (falseDiscoveries * (at + 1)) / sorted.length);
        const differs = findings(means.map((mean) => estimate(mean))).map(
          ({ verdict: says }) => says.length === 4 && says !== 'few',
        );
        expect(differs.filter((each) => each)).toHaveLength(last + 1);
      }),
    );
  });

  it('require more of each the more of them there are', () => {
    const [alone] = findings([estimate(0.12)]);
    const [among] = findings([estimate(0.12), ...Array.from({ length: 38 }, () => estimate(0))]);
    expect([alone?.verdict, among?.verdict]).toEqual(['more', 'few']);
    expect(among?.detectable).toBeGreaterThan(alone?.detectable ?? 0);
  });

  it('distinguish too few alerts from no difference', () => {
    expect(findings([estimate(0.01, 0.05)])[0]).toMatchObject({ verdict: 'few' });
    expect(findings([estimate(0.01, 0.02)])[0]).toMatchObject({ verdict: 'nothing' });
    expect(findings([{ usual: 0.5, mean: 0, error: 0, freedom: 9 }])[0]).toMatchObject({
      verdict: 'nothing',
      detectable: 0,
    });
  });
});

it('least squares recover the weights that a line was made with', () => {
  const random = seeded(9);
  const rows = Array.from({ length: 50 }, () => [1, random(), random()]);
  const values = rows.map(([one = 0, a = 0, b = 0]) => 2 * one - a + 3 * b);
  const found = leastSquares(rows, values, () => 1);
  for (const [index, weight] of [2, -1, 3].entries()) expect(found[index]).toBeCloseTo(weight, 3);
});
