import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liquidationPrice } from '#src/runtime/liquidation-price.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { liquidatedLeverage } from '#src/service/analytics/leverage.ts';
import { simulateCascade } from '#src/service/analytics/liquidation-cascade.ts';
import { liquidationRisk, type RiskInputs, riskWeights } from '#src/service/analytics/liquidation-score.ts';
import {
  leverageShares,
  type OpenPosition,
  openPositions,
  usdNear,
  zonesOf,
} from '#src/service/analytics/liquidation-zones.ts';
import type { Candle, Liquidation, OpenInterest } from '#src/service/archive/archive.ts';

const symbol = 'BTCUSDT';
const start = Date.UTC(2026, 0, 1);
/** Creates snapshots of [contracts, price], five minutes apart. */
const snapshots = (...rows: readonly (readonly [number, number])[]): OpenInterest[] =>
  rows.map(([contracts, price], i) => ({
    symbol,
    time: start + i * 5 * minute,
    contracts,
    valueUsd: contracts * price,
  }));

describe('the leverage of liquidated positions', () => {
  /** The entry is looked for in the second day, in which the price is 100. */
  const candles = Array.from({ length: 48 }, (_, i): Candle => {
    const price = i < 24 ? 50 : 100;
    return {
      ...{ symbol, time: start + i * hour, open: price, high: price, low: price, close: price },
      ...{ volume: 10, takerBuy: 5, quoteVolume: 10 * price },
    };
  });
  const at = start + 48 * hour;
  const event = (price: number, usd: number, side: Liquidation['side'] = 'LONG'): Liquidation => ({
    symbol,
    time: at,
    side,
    price,
    quantity: usd / price,
  });

  const [at10, at20] = [10, 20].map((leverage) => liquidationPrice('LONG', 100, leverage)) as [
    number,
    number,
  ];

  it.each<[string, Liquidation[], object]>([
    ['one long at 10×', [event(at10, 1_000)], { estimatedLeverage: 10, sampleSize: 1 }],
    [
      'the mean is weighted by USD',
      [event(at10, 3_000), event(at20, 1_000)],
      { estimatedLeverage: 12.5, sampleSize: 2 },
    ],
    ['at most 125×', [event(99.99, 10)], { estimatedLeverage: 125, sampleSize: 1 }],
    ['on the winning side: left out', [event(101, 10), event(99, 10, 'SHORT')], { sampleSize: 0 }],
    ['none', [], { sampleSize: 0 }],
  ])('%s', (_, events, expected) => expect(liquidatedLeverage(events, candles)).toEqual(expected));

  it('a liquidation without candles before it gives nothing', () => {
    expect(liquidatedLeverage([event(90.5, 10)], [])).toEqual({ sampleSize: 0 });
  });
});

describe('estimated zones', () => {
  it('shares of leverages sum to 1', () => {
    expect(leverageShares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it('a rise opens as many longs as shorts, liquidated below and above its price', () => {
    const { positions, coverage } = openPositions(snapshots([100, 1_000], [110, 1_000]));
    const of = (side: string) => positions.filter((position) => position.side === side);
    expect([of('LONG').length, of('SHORT').length]).toEqual([leverageShares.length, leverageShares.length]);
    for (const { price } of of('LONG')) expect(price).toBeLessThan(1_000);
    for (const { price } of of('SHORT')) expect(price).toBeGreaterThan(1_000);
    const tenfold = of('LONG').find(({ price }) => price === liquidationPrice('LONG', 1_000, 10));
    expect(tenfold?.usd).toBeCloseTo(10 * 0.3 * liquidationPrice('LONG', 1_000, 10), 6);
    expect(coverage).toBe(round4(10 / 110));
  });

  it('a fall in open interest closes positions in proportion', () => {
    const usd = (rows: OpenInterest[]) =>
      openPositions(rows).positions.reduce((sum, { usd }) => sum + usd, 0);
    const risen = usd(snapshots([100, 1_000], [110, 1_000]));
    expect(usd(snapshots([100, 1_000], [110, 1_000], [55, 1_000]))).toBeCloseTo(risen / 2, 6);
  });

  it('zones further than a quarter of the price away are left out', () => {
    const at = (price: number) => ({ side: 'LONG' as const, price, usd: 1_000 });
    expect(zonesOf([74.4, 75.1].map(at), 100).map(({ price }) => price)).toEqual([75.25]);
  });

  it('zones that the price has reached are removed', () => {
    const { positions } = openPositions(snapshots([100, 1_000], [110, 1_000], [110, 900], [110, 1_000]));
    const longs = positions.filter(({ side }) => side === 'LONG').map(({ price }) => price);
    expect(longs).toEqual([liquidationPrice('LONG', 1_000, 5)]);
    expect(positions.filter(({ side }) => side === 'SHORT')).toHaveLength(leverageShares.length);
  });

  it('no snapshot, or a single one, gives no zone', () => {
    expect(openPositions([])).toEqual({ positions: [], coverage: 0 });
    expect(openPositions(snapshots([100, 1_000]))).toEqual({ positions: [], coverage: 0 });
    expect(openPositions(snapshots([0, 1_000], [0, 0])).positions).toEqual([]);
  });

  it('any open interest: no position is on the wrong side of the last price, and zones contain all in reach', () => {
    const row = fc.tuple(
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      fc.double({ min: 50, max: 150, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 40 }), (rows) => {
        const { positions, coverage } = openPositions(snapshots(...rows));
        const price = rows.at(-1)?.[1] ?? 0;
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(1);
        for (const position of positions) {
          expect(position.side === 'LONG' ? position.price < price : position.price > price).toBe(true);
          expect(position.usd).toBeGreaterThan(0);
        }
        const zones = zonesOf(positions, price);
        expect(zones.map((zone) => zone.price)).toEqual(
          zones.map((zone) => zone.price).toSorted((a, b) => a - b),
        );
        const near = usdNear(positions, price, 20);
        const estimated = zones.reduce((sum, { estimatedUsd }) => sum + estimatedUsd, 0);
        expect(estimated).toBeGreaterThanOrEqual((near.LONG + near.SHORT) * (1 - 1e-9) - 200 * 0.01);
      }),
    );
  });
});

describe('a simulated cascade', () => {
  const position = (price: number, usd: number, side: OpenPosition['side'] = 'LONG') => ({
    side,
    price,
    usd,
  });
  const base = { price: 100, movePct: -5, dailyVolatility: 0.05, dailyVolumeUsd: 1_000_000 };

  it('positions in reach are liquidated, and the price moves on by the square root of their share of volume', () => {
    const cascade = simulateCascade({
      ...base,
      positions: [position(96, 10_000), position(94.6, 10_000), position(90, 1)],
    });
    // 95 · exp(−0.05·√0.01) = 94.526, which reaches 94.6; then 95 · exp(−0.05·√0.02) = 94.331.
    expect(cascade).toEqual({
      rounds: [
        { price: 95, estimatedUsd: 10_000 },
        { price: 94.52618552, estimatedUsd: 10_000 },
      ],
      estimatedFinalPrice: 94.33061797,
      estimatedTotalUsd: 20_000,
      amplification: 1.1339,
    });
  });

  it.each<[string, Partial<typeof base>, OpenPosition[]]>([
    ['nothing in reach: nothing follows', {}, [position(94, 10_000)]],
    ['a fall liquidates no shorts', {}, [position(96, 10_000, 'SHORT')]],
    ['no move: nothing', { movePct: 0 }, [position(100, 10_000)]],
  ])('%s', (_, over, positions) => {
    const cascade = simulateCascade({ ...base, ...over, positions });
    expect(cascade).toMatchObject({ rounds: [], estimatedTotalUsd: 0, amplification: 1 });
  });

  it('a rise liquidates shorts, upwards', () => {
    const { rounds, estimatedFinalPrice } = simulateCascade({
      ...base,
      movePct: 5,
      positions: [position(104, 10_000, 'SHORT')],
    });
    expect(rounds).toEqual([{ price: 105, estimatedUsd: 10_000 }]);
    expect(estimatedFinalPrice).toBeGreaterThan(105);
  });

  it('it ends, liquidates each position once, and never less for a larger move', () => {
    const any = fc.record({
      side: fc.constantFrom('LONG' as const, 'SHORT' as const),
      price: fc.double({ min: 50, max: 150, noNaN: true }),
      usd: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 60 }),
        fc.double({ min: 0.1, max: 25, noNaN: true }),
        (positions, size) => {
          for (const sign of [-1, 1]) {
            const small = simulateCascade({ ...base, movePct: sign * size, positions });
            const large = simulateCascade({ ...base, movePct: sign * size * 2, positions });
            const all = positions.reduce((sum, { usd }) => sum + usd, 0);
            expect(small.estimatedTotalUsd).toBeLessThanOrEqual(all + 0.01);
            if (small.rounds.length < 30)
              expect(large.estimatedTotalUsd).toBeGreaterThanOrEqual(small.estimatedTotalUsd - 0.01);
            expect(small.amplification).toBeGreaterThanOrEqual(1);
          }
        },
      ),
    );
  });
});

describe('the liquidation score', () => {
  it('the absolute weights sum to 1', () => {
    expect(Object.values(riskWeights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });

  it.each<[string, RiskInputs, number]>([
    ['nothing known: 0', {}, 0],
    ['nothing unusual: 0', { liquidations: 0, openInterest: 0, funding: 0, proximity: 0 }, 0],
    ['everything at its most: 100', { liquidations: 9, openInterest: -9, funding: 9, proximity: 1 }, 100],
    ['fewer liquidations than usual are no sign', { liquidations: -3 }, 0],
    ['half of one, the rest unknown: half', { openInterest: 1.5 }, 50],
    ['a tenth of open interest near the price counts in full', { liquidations: 0, proximity: 0.1 }, 38.5],
    ['half a tenth by half', { liquidations: 0, proximity: 0.05 }, 19.2],
    ['by weight: 0.4 of 1', { liquidations: 3, openInterest: 0, funding: 0, proximity: 0 }, 40],
  ])('%s', (_, inputs, expected) => expect(liquidationRisk(inputs).score).toBeCloseTo(expected, 6));
});

const round4 = (value: number) => Number(value.toFixed(4));
