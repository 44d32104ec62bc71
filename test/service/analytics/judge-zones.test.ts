import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import { judgeZones } from '#src/service/analytics/judge-zones.ts';
import { openPositions } from '#src/service/analytics/liquidation-zones.ts';
import { seededRandom } from '#src/service/analytics/seeded-random.ts';
import type { Candle, Liquidation, OpenInterest } from '#src/service/archive/archive.ts';

const symbol = 'BTCUSDT';
const begin = Date.UTC(2026, 0, 1);
const days = 24;

/** A price that wanders, and an open interest that grows in bursts. */
function market(seed: number) {
  const random = seededRandom(seed);
  const snapshots: OpenInterest[] = [];
  const candles: Candle[] = [];
  let [price, contracts] = [60_000, 100_000];
  for (let time = begin - 8 * day; time < begin + days * day; time += 5 * minute) {
    const open = price;
    price *= 1 + (random() - 0.5) * 0.006;
    contracts *= 1 + (random() < 0.05 ? 0.01 * random() : -0.0003);
    snapshots.push({ symbol, time, contracts, valueUsd: contracts * price });
    const last = candles.at(-1);
    if (time % hour === 0 || last === undefined) {
      const [high, low] = [Math.max(open, price), Math.min(open, price)];
      candles.push({ symbol, time, open, high, low, close: price, volume: 1, takerBuy: 1, quoteVolume: 1 });
    } else {
      const high = Math.max(last.high, price);
      candles[candles.length - 1] = { ...last, high, low: Math.min(last.low, price), close: price };
    }
  }
  return { snapshots, candles };
}

/** Liquidates each day what `amountOf` says at each of many prices that the day reached. */
function liquidate(
  { candles }: ReturnType<typeof market>,
  amountOf: (at: {
    readonly price: number;
    readonly side: 'LONG' | 'SHORT';
    readonly time: number;
  }) => number,
): Liquidation[] {
  return Array.from({ length: days }, (_, index) => begin + index * day).flatMap((start) => {
    const ofDay = candles.filter(({ time }) => time >= start && time < start + day);
    const [low, high] = [
      Math.min(...ofDay.map((each) => each.low)),
      Math.max(...ofDay.map((each) => each.high)),
    ];
    return Array.from({ length: 60 }, (_, at) => low + ((high - low) * (at + 0.5)) / 60).flatMap((price) =>
      (['LONG', 'SHORT'] as const).flatMap((side): Liquidation[] => {
        const usd = amountOf({ price, side, time: start });
        return usd > 0 ? [{ symbol, time: start + hour, side, price, quantity: usd / price }] : [];
      }),
    );
  });
}

const judge = (seed: number, liquidations: readonly Liquidation[], given: ReturnType<typeof market>) =>
  judgeZones({ ...given, liquidations }, seededRandom(seed));

describe('maps of liquidation levels are judged by what was liquidated after them', () => {
  it('a map whose levels were liquidated is better than chance and than its shuffled levels', () => {
    const given = market(1);
    const maps = new Map<number, ReturnType<typeof openPositions>['positions']>();
    const liquidations = liquidate(given, ({ price, side, time }) => {
      const map =
        maps.get(time) ??
        openPositions(given.snapshots.filter((row) => row.time > time - 7 * day && row.time <= time))
          .positions;
      maps.set(time, map);
      return map
        .filter((each) => each.side === side && Math.abs(each.price / price - 1) < 0.001)
        .reduce((sum, { usd }) => sum + usd, 0);
    });
    const judged = judge(2, liquidations, given);
    expect(judged).toMatchObject({ isBetter: true, chance: 0.25, days });
    expect(judged?.share).toBeGreaterThan(0.5);
    expect(judged?.placebo).toBeLessThan(0.4);
  });

  it('of liquidations that know nothing of the map the interval holds a quarter, 19 times of 20', () => {
    const found = Array.from({ length: 40 }, (_, seed) => {
      const given = market(100 + seed);
      const random = seededRandom(seed);
      return judge(
        seed,
        liquidate(given, () => (random() < 0.3 ? random() : 0)),
        given,
      );
    });
    const holding = found.filter((each) => each !== undefined && each.low <= 0.25 && each.high >= 0.25);
    expect(found.every((each) => each !== undefined)).toBe(true);
    expect(holding.length).toBeGreaterThanOrEqual(34);
    expect(found.filter((each) => each?.isBetter).length).toBeLessThanOrEqual(3);
    for (const each of found) expect(each?.placebo).toBeCloseTo(0.25, 1);
  });

  it('nothing is told of a few days or of a few liquidations', () => {
    const given = market(3);
    const all = liquidate(given, () => 1_000);
    expect(
      judge(
        1,
        all.filter(({ time }) => time < begin + 5 * day),
        given,
      ),
    ).toBeUndefined();
    expect(
      judge(
        1,
        all.filter((_, index) => index % 100 === 0),
        given,
      ),
    ).toBeUndefined();
    expect(judge(1, all, { ...given, candles: [] })).toBeUndefined();
  });

  it('a day of which an hour is missing is not judged', () => {
    const given = market(4);
    const all = liquidate(given, () => 1_000);
    const candles = given.candles.filter(({ time }) => time !== begin + 3 * day + 5 * hour);
    expect(judge(1, all, { ...given, candles })?.days).toBe(days - 1);
  });
});
