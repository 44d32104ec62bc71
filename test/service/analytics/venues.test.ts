import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hour } from '#src/runtime/units.ts';
import { dispersionOf, type FundingLeg } from '#src/service/analytics/funding-dispersion.ts';
import { aggregateOpenInterest, type OiLeg } from '#src/service/analytics/oi-aggregate.ts';
import { splitByPrice } from '#src/service/analytics/same-coin.ts';
import { intervalsEnding } from '#src/service/handlers/funding.ts';

const venue = fc.constantFrom('binance', 'bybit', 'hyperliquid', 'okx');
const runs = { numRuns: 200 };

describe('the intervals of past settlements', () => {
  it.each([
    ['one that never changed', [8, 8], 8, [8, 8, 8]],
    ['one that became shorter', [8, 8, 4, 4], 4, [8, 8, 8, 4, 4]],
    ['one that has just become shorter', [8, 8, 4], 4, [8, 8, 8, 4]],
    ['one that has just become longer', [4, 4, 8], 8, [4, 4, 4, 8]],
    ['one that changes with the next settlement', [8, 8], 4, [8, 8, 8]],
    ['one settlement was missed', [8, 8, 16, 8, 8, 4, 4], 4, [8, 8, 8, 8, 8, 8, 4, 4]],
    ['the newest ones were missed', [1, 1, 5], 1, [1, 1, 1, 1]],
    ['settlements some seconds late', [8.001, 7.999], 1, [8, 8, 8]],
    ['a single settlement', [], 4, [4]],
    ['no settlement', undefined, 4, []],
  ])('%s', (_, gaps, current, expected) => {
    let at = 0;
    const times = gaps === undefined ? [] : [at, ...gaps.map((gap) => (at += gap * hour))];
    expect(intervalsEnding(times, current)).toEqual(expected);
  });
});

describe('funding over several venues', () => {
  const leg = fc.record({
    symbol: fc.constantFrom('BTCUSDT', 'ETHUSDT', 'SOLUSDT'),
    venue,
    rate: fc.integer({ min: -4_000, max: 4_000 }).map((rate) => rate / 1e6),
    hours: fc.constantFrom(1, 2, 4, 8, undefined),
    time: fc.constant(0),
  });
  const legs = fc.uniqueArray(leg, { maxLength: 12, selector: (each) => `${each.symbol} ${each.venue}` });
  const yearly = ({ rate, hours }: FundingLeg) =>
    hours === undefined ? undefined : rate * (24 / hours) * 36_500;

  it.each([
    ['one hour at Hyperliquid is eight at Binance', [0.00008, 8], [0.00001, 1], 0],
    ['the same rate in other hours is another price', [0.0001, 8], [0.0001, 1], 76.65],
    ['a side that is paid is below one that pays', [0.0001, 8], [-0.0001, 8], 21.9],
  ] as const)('%s', (_, [own, ownHours], [other, otherHours], gap) => {
    const [row] = dispersionOf([
      { symbol: 'BTCUSDT', venue: 'binance', rate: own, hours: ownHours, time: 0 },
      { symbol: 'BTCUSDT', venue: 'hyperliquid', rate: other, hours: otherHours, time: 0 },
    ]);
    expect(row?.gap?.pct).toBeCloseTo(gap, 3);
  });

  it('each leg is annualised by its own interval, and the gap lies between the highest and the lowest', () => {
    fc.assert(
      fc.property(legs, (all) => {
        const rows = dispersionOf(all);
        expect(rows.flatMap((row) => row.legs)).toHaveLength(all.length);
        for (const { legs: own, gap } of rows) {
          for (const each of own) {
            const expected = yearly(each);
            if (expected === undefined) expect(each.annualizedPct).toBeUndefined();
            else expect(each.annualizedPct).toBeCloseTo(expected, 6);
          }
          const known = own.flatMap((each) => yearly(each) ?? []);
          expect(gap === undefined).toBe(known.length < 2);
          if (gap !== undefined) expect(gap.pct).toBeCloseTo(Math.max(...known) - Math.min(...known), 3);
        }
        const gaps = rows.flatMap(({ gap }) => gap?.pct ?? []);
        expect(gaps).toEqual(gaps.toSorted((a, b) => b - a));
      }),
      runs,
    );
  });

  it('a venue with an unknown interval widens no gap', () => {
    fc.assert(
      fc.property(legs, leg, (all, stranger) => {
        const unknown = { ...stranger, venue: 'elsewhere', hours: undefined };
        const gapsOf = (given: readonly FundingLeg[]) =>
          new Map(dispersionOf(given).map(({ symbol, gap }) => [symbol, gap]));
        expect(gapsOf([...all, unknown]).get(unknown.symbol)).toEqual(gapsOf(all).get(unknown.symbol));
      }),
      runs,
    );
  });
});

describe('open interest over several venues', () => {
  const held = fc.record({
    symbol: fc.constant('BTCUSDT'),
    time: fc.constant(0),
    contracts: fc.integer({ min: 0, max: 1_000_000 }),
    valueUsd: fc.integer({ min: 0, max: 1_000_000_000 }),
  });
  const maybe = fc.option(held, { nil: undefined });
  const leg: fc.Arbitrary<OiLeg> = fc.record({ venue, now: held, hourAgo: maybe, dayAgo: maybe });
  const legs = fc.uniqueArray(leg, { maxLength: 4, selector: (each) => each.venue });

  it('the sum and the shares are those of the legs', () => {
    fc.assert(
      fc.property(legs, (all) => {
        const sum = aggregateOpenInterest(all);
        expect(sum.usd).toBe(all.reduce((total, { now }) => total + now.valueUsd, 0));
        expect(sum.legs.map(({ venue: name }) => name).sort()).toEqual(
          all.map(({ venue: name }) => name).sort(),
        );
        const shares = sum.legs.reduce((total, { share }) => total + share, 0);
        expect(shares).toBeCloseTo(sum.usd > 0 ? 1 : 0, 9);
      }),
      runs,
    );
  });

  it('a change counts only legs known at both ends: one that appears or vanishes makes none', () => {
    fc.assert(
      fc.property(legs, (all) => {
        const both = all.filter(({ hourAgo }) => hourAgo !== undefined);
        const { change1h } = aggregateOpenInterest(all);
        expect(change1h).toEqual(aggregateOpenInterest(both).change1h);
        const before = both.reduce((total, { hourAgo }) => total + (hourAgo?.contracts ?? 0), 0);
        expect(change1h === undefined).toBe(before === 0);
        if (change1h === undefined) return;
        const after = both.reduce((total, { now }) => total + now.contracts, 0);
        expect(change1h.pct).toBeCloseTo((after / before - 1) * 100, 3);
        expect([...change1h.venues].sort()).toEqual(both.map(({ venue: name }) => name).sort());
      }),
      runs,
    );
  });

  it('unchanged contracts give no change, whatever the price did and whichever venue was added', () => {
    fc.assert(
      fc.property(legs, held, fc.integer({ min: 1, max: 100 }), (all, newcomer, times) => {
        const still = all.map((each) => ({
          ...each,
          hourAgo: { ...each.now, valueUsd: each.now.valueUsd * times },
        }));
        const arrived = { venue: 'elsewhere', now: newcomer, hourAgo: undefined, dayAgo: undefined };
        const { change1h } = aggregateOpenInterest([...still, arrived]);
        if (change1h !== undefined) expect(change1h).toMatchObject({ pct: 0, usd: 0 });
      }),
      runs,
    );
  });

  it.each([
    ['both legs grow', [100, 110], [50, 55], 10, 1_500],
    ['one grows, one shrinks as much', [100, 110], [100, 90], 0, 0],
    ['one is new', [100, 110], [undefined, 1_000], 10, 1_000],
    ['one has gone quiet an hour ago', [100, 90], [undefined, 0], -10, -1_000],
  ] as const)('%s', (_, [ownThen, own], [otherThen, other], pct, usd) => {
    const at = (contracts: number | undefined) =>
      contracts === undefined ? undefined : { symbol: 'X', time: 0, contracts, valueUsd: contracts * 100 };
    const legOf = (name: string, then: number | undefined, now: number): OiLeg => ({
      venue: name,
      now: { symbol: 'X', time: 0, contracts: now, valueUsd: now * 100 },
      hourAgo: at(then),
      dayAgo: undefined,
    });
    const sum = aggregateOpenInterest([legOf('binance', ownThen, own), legOf('okx', otherThen, other)]);
    expect(sum.change1h).toMatchObject({ pct, usd });
    expect(sum.change24h).toBeUndefined();
  });
});

describe('one name, two things', () => {
  /** One leg for each price, named by its place. */
  const split = (prices: readonly number[]) =>
    splitByPrice(
      prices.map((price, place) => ({ price, place })),
      ({ price }) => price,
    );
  const placesOf = (prices: readonly number[]) => {
    const { same, others } = split(prices);
    return { same: same.map(({ place }) => place), others: others.map(({ leg }) => leg.place) };
  };

  it.each([
    ['a price that is more than 5 % off', [1, 1.0501, 1], [1]],
    ['none that is less off', [1, 1.0499, 1], []],
    ['a stock among coins', [1, 0.05, 1.001], [1]],
    ['a coin counted in thousands', [1, 1_000, 1.01], [1]],
    ['the primary venue, if the others agree', [20, 1, 1.01], [0]],
    ['the other of two', [20, 1], [1]],
    ['the other two of four', [20, 1, 20, 1], [1, 3]],
    ['nobody within some percent', [1, 1.03, 0.99], []],
    ['nobody where one is alone', [1], []],
  ])('%s is left out', (_, prices, expected) => {
    expect(placesOf(prices).others).toEqual(expected);
  });

  it('what is left out does not depend on the unit of the price, and its distance is that from the others', () => {
    const prices = fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(prices, (given) => {
        const { same, others } = split(given);
        expect(same.length + others.length).toBe(given.length);
        expect(same.length).toBeGreaterThan(0);
        expect(placesOf(given.map((price) => price * 1_024))).toEqual(placesOf(given));
        for (const { deviationPct } of others) expect(Number.isFinite(deviationPct)).toBe(true);
      }),
    );
  });
});
