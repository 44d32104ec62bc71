import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '#src/alert/outcome.ts';
import { type Interval, meanInterval, medianInterval, seeded } from '#src/record/bootstrap.ts';
import { enough, type Found, score } from '#src/record/score.ts';
import { type Usual, usualMoves } from '#src/record/usual.ts';
import { day, hour } from '#src/runtime/units.ts';
import { begin, madeMarket } from './market.ts';

const holds = ([low, high]: Interval, value: number) => low <= value && value <= high;

/** Shares of many seeded markets in which the interval of hits, and of the median move, has the property. */
function shareOf(
  seeds: number,
  given: Parameters<typeof madeMarket>[1] & { horizon?: number },
  which: (interval: Interval) => boolean,
) {
  const found: Found[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { outcomes, usual } = madeMarket(seed * 7_919, given);
    const scored = score(outcomes, given.horizon ?? 4 * hour, usual, seeded(seed)).found;
    if (scored !== undefined) found.push(scored);
  }
  expect(found.length).toBeGreaterThan(seeds * 0.9);
  return {
    hits: found.filter(({ hits }) => which(hits.edge)).length / found.length,
    moves: found.filter(({ move }) => which(move.edge)).length / found.length,
  };
}

describe('on a random walk', () => {
  it.each([
    ['1 h', { horizon: hour }],
    ['4 h', {}],
    ['24 h, whose moves overlap', { horizon: 24 * hour }],
    ['a claim that it moves', { claim: 'move' as const }],
    ['a market that drifts up', { drift: 0.1 }],
    ['bursts of four symbols', { burst: 4, perDay: 6 }],
  ])('the interval holds zero at about its rate of 95 %%: %s', (_, given) => {
    const rate = shareOf(60, given, (interval) => holds(interval, 0));
    // 60 markets: 0.95 with a standard deviation of 0.03.
    expect(rate.hits).toBeGreaterThanOrEqual(0.89);
    expect(rate.moves).toBeGreaterThanOrEqual(0.89);
    // One that held zero always would say nothing.
    expect(Math.min(rate.hits, rate.moves)).toBeLessThan(1);
  });
});

describe('on a market with a known edge', () => {
  it.each(['up', 'down'] as const)('it is seen over its horizon, whichever way: %s', (claim) => {
    const rate = shareOf(20, { edge: 4, claim }, ([low]) => low > 0);
    expect(rate.hits).toBeGreaterThan(0.95);
    expect(rate.moves).toBeGreaterThan(0.95);
  });

  it('is seen where only the size is claimed', () => {
    const rate = shareOf(20, { edge: 6, claim: 'move' }, ([low]) => low > 0);
    expect(rate.hits).toBeGreaterThan(0.95);
  });

  it('a claim of the wrong way shows below what is usual', () => {
    const { outcomes, usual } = madeMarket(5, { edge: 4, claim: 'up' });
    const wrong = outcomes.map((outcome) => ({ ...outcome, claim: 'down' as const }));
    expect(score(wrong, 4 * hour, usual, seeded(1)).found?.hits.edge[1]).toBeLessThan(0);
  });

  it('the size of the edge is what was put in', () => {
    // Over the bursts of many markets: 4 hourly standard deviations on top of 4 hours of walking.
    const excess = Array.from({ length: 30 }, (_, seed) => {
      const { outcomes, usual } = madeMarket(seed, { edge: 4, burst: 1 });
      const a = outcomes.filter(({ symbol }) => symbol === 'A');
      return a.map(
        ({ price, after }) => (after[1] ?? 0) / (price ?? 1) - 1 - (usual('A', 4 * hour)?.median ?? 0),
      );
    }).flat();
    const mean = excess.reduce((sum, each) => sum + each, 0) / excess.length;
    expect(mean).toBeGreaterThan(0.003 * 4 * 0.75);
    expect(mean).toBeLessThan(0.003 * 4 * 1.05);
  });

  it('is gone from the record of a market that drifts as much by itself', () => {
    const { outcomes, usual } = madeMarket(3, { drift: 0.6 });
    const { hits } = score(outcomes, 24 * hour, usual, seeded(1)).found ?? {};
    expect(hits?.share).toBeGreaterThan(0.9);
    expect(holds(hits?.edge ?? [9, 9], 0)).toBe(true);
  });
});

describe('not enough', () => {
  const usual: Usual = { n: 500, median: 0, size: 0.01, up: 0.5, down: 0.5 };
  const outcome = (index: number, spread: number): Outcome => ({
    kind: 'k',
    symbol: 'A',
    claim: 'up',
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
    expect(score(many(count, spread), horizon, () => usual, seeded(1)).found?.hits.share).toBe(share);
  });

  it('is also where nothing is known of how the symbol moves otherwise', () => {
    expect(score(many(50, day), hour, () => undefined, seeded(1))).toMatchObject({ n: 0, days: 0 });
  });

  it('says how many there are, and how many are estimates', () => {
    expect(score(many(7, day), hour, () => usual, seeded(1))).toEqual({
      sense: 'way',
      n: 7,
      days: 7,
      estimated: 1,
    });
  });
});

describe('usual moves', () => {
  const steady = Array.from({ length: 24 * 10 }, (_, h) => ({ at: h * hour, price: 100 * 1.01 ** h }));
  it('are all moves over the horizon, from every hour', () => {
    const { n, median, size, up, down } = usualMoves(steady, 4 * hour) ?? {};
    expect([n, up, down]).toEqual([236, 1, 0]);
    expect(median).toBeCloseTo(1.01 ** 4 - 1);
    expect(size).toBeCloseTo(1.01 ** 4 - 1);
  });

  it('leave out what has a gap at either end', () => {
    const gappy = steady.filter(({ at }) => at !== 50 * hour);
    expect(usualMoves(gappy, hour)?.n).toBe(237);
  });

  it('are unknown with less than a week of them', () => {
    expect(usualMoves(steady.slice(0, 100), hour)).toBeUndefined();
  });
});

describe('the bootstrap', () => {
  const values = fc.array(
    fc.record({ block: fc.nat(20), value: fc.double({ min: -1, max: 1, noNaN: true }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  );

  it('gives ordered intervals within the values, the same for the same randomness and any order', () => {
    fc.assert(
      fc.property(values, fc.integer(), (given, seed) => {
        const all = given.map(({ value }) => value);
        for (const drawn of [meanInterval, medianInterval]) {
          const [low, high] = drawn(given, seeded(seed));
          expect(low).toBeLessThanOrEqual(high);
          expect(low).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9);
          expect(high).toBeLessThanOrEqual(Math.max(...all) + 1e-9);
          expect(drawn(given.toReversed(), seeded(seed))[0]).toBeCloseTo(low);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is wider where values of a block say the same: they count as one', () => {
    const random = seeded(3);
    const alone = Array.from({ length: 60 }, (_, block) => ({ block, value: random() }));
    const copied = alone.slice(0, 12).flatMap((one) => Array.from({ length: 5 }, () => one));
    const width = ([low, high]: Interval) => high - low;
    expect(width(meanInterval(copied, seeded(1)))).toBeGreaterThan(
      1.5 * width(meanInterval(alone, seeded(1))),
    );
  });
});
