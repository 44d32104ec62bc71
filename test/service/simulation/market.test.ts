import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import defaultCheckpoint from '#src/service/simulation/default-checkpoint.json' with { type: 'json' };
import { listings } from '#src/service/simulation/listings.ts';
import { type Market, type MarketCheckpoint, marketCheckpoint } from '#src/service/simulation/market.ts';
import { defaultSeed, simulationStart, syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { computeDefaultCheckpoint } from './default-checkpoint.ts';

const genesis = Date.parse('2023-01-01T00:00:00.000Z');
const market = syntheticMarket({ seed: 11, symbols: 30 });
const symbols = market.instruments.map(({ symbol }) => symbol);

/** Questions to a market as data, so that several markets can be asked in different orders. */
const questions = (time: number, symbol: string): ((market: Market) => unknown)[] => [
  (of) => of.candles(symbol, { from: time - 6 * hour, to: time }),
  (of) => of.price(symbol, time),
  (of) => of.settlements(symbol, { from: time - 3 * day, to: time }),
  (of) => of.mark(symbol, time),
  (of) => of.openInterest(symbol, time),
  (of) => of.ratios(symbol, time),
  (of) => of.topOfBook(symbol, time),
  (of) => of.liquidations(time - 20 * minute, time),
  (of) => of.options('ETH', { from: time, to: time + hour }),
  (of) => of.macro('vix', { from: time - hour, to: time }),
  (of) => of.fearGreed(time - 2 * day, time),
  (of) => of.stablecoins(time - 2 * day, time),
  (of) => of.outages(time - day, time),
];
const moment = fc.integer({ min: genesis + 40 * day, max: genesis + 70 * day });
const symbol = fc.constantFrom(...symbols);

describe('the synthetic market', () => {
  it('is a function of seed and time: the same bytes in any order and instance', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, symbol), { minLength: 1, maxLength: 4 }), (asked) => {
        const fresh = syntheticMarket({ seed: 11, symbols: 30 });
        const all = asked.flatMap(([time, name]) => questions(time, name));
        const forwards = all.map((ask) => JSON.stringify(ask(market)));
        const backwards = [...all].reverse().map((ask) => JSON.stringify(ask(fresh)));
        expect(backwards.reverse()).toEqual(forwards);
      }),
      { numRuns: 6 },
    );
  });

  it('is the same market when it is resumed from a checkpoint that was stored as JSON', () => {
    const checkpoint = JSON.stringify(market.checkpoint(genesis + 68 * day));
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, symbol), { minLength: 1, maxLength: 4 }), (asked) => {
        const resumed = syntheticMarket({ seed: 11, symbols: 30 });
        resumed.resume(marketCheckpoint.parse(JSON.parse(checkpoint)));
        const all = asked.flatMap(([time, name]) => questions(time, name));
        expect(all.map((ask) => JSON.stringify(ask(resumed)))).toEqual(
          all.map((ask) => JSON.stringify(ask(market))),
        );
        expect(resumed.checkpoint(genesis + 110 * day)).toEqual(market.checkpoint(genesis + 110 * day));
      }),
      { numRuns: 6 },
    );
  });

  it('of the default seed begins with the states that it has when computed from its first hour on', () => {
    // Not to the last digit: Math.exp and others need not give the same on every machine.
    const rounded = (checkpoint: MarketCheckpoint) =>
      JSON.parse(JSON.stringify(checkpoint), (_, value) =>
        typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value,
      );
    expect(rounded(defaultCheckpoint)).toEqual(rounded(computeDefaultCheckpoint()));
  });

  it('differs by seed', () => {
    const other = syntheticMarket({ seed: 12, symbols: 30 });
    expect(other.price('BTCUSDT', genesis + 50 * day)).not.toBe(market.price('BTCUSDT', genesis + 50 * day));
  });

  it('does not depend on the number of listed coins', () => {
    const larger = syntheticMarket({ seed: 11, symbols: 40 });
    const [from, to] = [genesis + 50 * day, genesis + 50 * day + 5 * hour];
    expect(larger.candles('SOLUSDT', { from, to })).toEqual(market.candles('SOLUSDT', { from, to }));
  });

  it('keeps every price within its candle, and every candle in order', () => {
    fc.assert(
      fc.property(moment, symbol, (time, name) => {
        const at = Math.floor(time / hour) * hour;
        const [candle, next] = market.candles(name, { from: at, to: at + hour });
        if (candle === undefined || next === undefined) throw new Error('an hour without a candle');
        const price = market.price(name, time);
        expect(price).toBeGreaterThanOrEqual(candle.low);
        expect(price).toBeLessThanOrEqual(candle.high);
        expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
        expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
        expect(candle.low).toBeGreaterThan(0);
        expect(candle.takerBuy).toBeLessThan(candle.volume);
        expect(next.open).toBe(candle.close);
      }),
    );
  });

  it('quotes a bid below the ask, and an imbalance the minute average agrees with', () => {
    fc.assert(
      fc.property(moment, symbol, (time, name) => {
        const top = market.topOfBook(name, time);
        expect(top.bidPrice).toBeLessThan(top.askPrice);
        expect(top.bidPrice).toBeGreaterThan(0);
        const end = (Math.floor(time / minute) + 1) * minute;
        const [book] = market.books(name, { from: end, to: end });
        expect(book).toMatchObject({ bidPrice: top.bidPrice, askPrice: top.askPrice, time: end });
        expect(Math.abs(book?.imbalance ?? 2)).toBeLessThan(1);
      }),
    );
  });

  it('liquidates at most one order per symbol and second, ascending, and any split of a window gives the whole', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: 1, max: 4 * hour }), (from, length) => {
        const whole = market.liquidations(from, from + length);
        const middle = from + Math.floor(length / 2);
        expect([
          ...market.liquidations(from, middle),
          ...market.liquidations(middle + 1, from + length),
        ]).toEqual(whole);
        expect(new Set(whole.map((row) => `${row.symbol} ${Math.floor(row.time / 1000)}`)).size).toBe(
          whole.length,
        );
        expect(whole.map(({ time }) => time)).toEqual(whole.map(({ time }) => time).sort((a, b) => a - b));
        expect(whole.every(({ price, quantity }) => price > 0 && quantity > 0)).toBe(true);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the synthetic market resembles a real one', () => {
  const year = { from: genesis + 60 * day, to: genesis + 300 * day };

  it('settles about 41 % of funding at exactly the interest rate', () => {
    const rates = symbols
      .filter((name) => market.instruments.find((row) => row.symbol === name)?.fundingHours === 8)
      .flatMap((name) => market.settlements(name, { from: year.from, to: year.to }).map(({ rate }) => rate));
    const exact = rates.filter((rate) => rate === 0.0001).length / rates.length;
    expect(exact).toBeGreaterThan(0.3);
    expect(exact).toBeLessThan(0.55);
    expect(Math.min(...rates)).toBeLessThan(0);
    expect(Math.max(...rates)).toBeGreaterThan(0.001);
  });

  it('moves together: BTC and ETH correlate, neither runs away', () => {
    const returns = (name: string) =>
      market.candles(name, { from: year.from, to: year.to }).map(({ open, close }) => Math.log(close / open));
    const [btc, eth] = [returns('BTCUSDT'), returns('ETHUSDT')];
    const dot = (a: number[], b: number[]) =>
      a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
    expect(dot(btc, eth) / Math.sqrt(dot(btc, btc) * dot(eth, eth))).toBeGreaterThan(0.6);
    const prices = market.candles('BTCUSDT', { from: year.from, to: year.to }).map(({ close }) => close);
    expect(Math.max(...prices)).toBeLessThan(42_000 * 6);
    expect(Math.min(...prices)).toBeGreaterThan(42_000 / 6);
  });

  it('builds open interest up and unwinds it rapidly some times a day', () => {
    const days = 5;
    let [builds, unwinds] = [0, 0];
    for (const name of symbols) {
      let [before, rate] = [market.openInterest(name, year.from).contracts, 0];
      for (let time = year.from + 5 * minute; time <= year.from + days * day; time += 5 * minute) {
        const now = market.openInterest(name, time).contracts;
        const next = (now / before - 1) * 100;
        if (next > 1 && next > rate) builds += 1;
        if (next < -1 && next < rate) unwinds += 1;
        [before, rate] = [now, next];
      }
    }
    expect(builds / days).toBeGreaterThan(1);
    expect(builds / days).toBeLessThan(40);
    expect(unwinds / days).toBeGreaterThan(0.5);
  });

  it('fails upstreams now and then, 10 to 40 minutes long', () => {
    const outages = market.outages(year.from, year.to);
    expect(outages.length).toBeGreaterThan(80);
    expect(new Set(outages.map(({ upstream }) => upstream)).size).toBe(4);
    for (const { from, to } of outages) {
      expect((to - from) / minute).toBeGreaterThanOrEqual(10);
      expect((to - from) / minute).toBeLessThanOrEqual(40);
    }
  });
});

describe('listings', () => {
  it('lists six hundred perpetuals once each, Bitcoin first', () => {
    expect(new Set(listings.map(({ symbol }) => symbol)).size).toBe(600);
    expect(listings[0]?.symbol).toBe('BTCUSDT');
  });

  it.each([29, 601, 30.5, Number.NaN])('refuses %s symbols', (count) => {
    expect(() => syntheticMarket({ seed: 1, symbols: count })).toThrow(RangeError);
  });

  it('a small coin reads the same in any order, and no hour of it jumps where its stretches meet', () => {
    const all = syntheticMarket({ seed: 11 });
    const other = syntheticMarket({ seed: 11 });
    const hours = Array.from({ length: 3 * 512 }, (_, at) => year2024 + at * hour);
    const forward = hours.map((at) => all.price('ZECUSDT', at));
    expect(hours.toReversed().map((at) => other.price('ZECUSDT', at))).toEqual(forward.toReversed());
    const moves = forward.slice(1).map((price, at) => Math.abs(Math.log(price / (forward[at] ?? price))));
    const atBounds = hours.flatMap((at, index) =>
      (at / hour - Date.UTC(2023, 0, 1) / hour) % 512 === 0 ? [moves[index - 1] ?? 0] : [],
    );
    expect(atBounds.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...atBounds)).toBeLessThan(Math.max(...moves));
    expect(all.price('BTCUSDC', year2024)).toBe(all.price('BTCUSDT', year2024));
    expect(Object.keys(all.checkpoint(year2024))).not.toContain('ZECUSDT');
  });

  it('refuses an unknown symbol', () => {
    expect(() => market.price('NOPEUSDT', year2024)).toThrow('NOPEUSDT is not listed');
  });
});

const year2024 = Date.parse('2024-01-01T00:00:00.000Z');

describe('the default start of npm start', () => {
  it('has two years of past and no outage nearby', () => {
    const start = syntheticMarket({ seed: defaultSeed, symbols: 30 });
    expect(simulationStart - start.earliest).toBeGreaterThan(2.2 * 365 * day);
    expect(start.outages(simulationStart - 30 * minute, simulationStart + 30 * minute)).toEqual([]);
  });
});

describe('liquidations of the smallest universe', () => {
  it('are never quiet for ten minutes, so that silence means an outage', () => {
    const from = genesis + 40 * day;
    const times = market.liquidations(from, from + 10 * day).map(({ time }) => time);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? from));
    expect(Math.max(...gaps)).toBeLessThan(10 * minute);
  });
});
