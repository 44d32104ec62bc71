import { expect, it } from 'vitest';
import { candleIntervals, candleLengths } from '#src/contract/candle-interval.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { groupCandles } from '#src/service/archive/group-candles.ts';
import { candlesBetween } from '#src/service/simulation/candles.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';

const market = syntheticMarket({ seed: 7, symbols: 30 });
const from = Date.UTC(2025, 10, 10);
const now = from + 3 * day;
const read = (symbol: string, interval: (typeof candleIntervals)[number], until = now) => {
  const instrument = market.instruments.find((each) => each.symbol === symbol);
  if (instrument === undefined) throw new RangeError(symbol);
  return candlesBetween(market, instrument, { from, to: until - 1, interval, now: until });
};

it.each(['BTCUSDT', 'DOGEUSDT'])('%s: candles of every length are made of the same minutes', (symbol) => {
  const minutes = read(symbol, '1m');
  expect(minutes).toHaveLength(3 * 24 * 60);
  for (const [index, row] of minutes.entries()) {
    expect(row.time).toBe(from + index * minute);
    expect(row.high).toBeGreaterThanOrEqual(Math.max(row.open, row.close));
    expect(row.low).toBeLessThanOrEqual(Math.min(row.open, row.close));
    expect(row.takerBuy).toBeLessThanOrEqual(row.volume);
  }
  for (const interval of candleIntervals.slice(1)) {
    const made = groupCandles(minutes, candleLengths[interval]);
    const given = read(symbol, interval);
    expect(given).toHaveLength(made.length);
    for (const [index, row] of given.entries()) {
      const { volume, quoteVolume, takerBuy, ...prices } = made[index] ?? row;
      expect(row).toMatchObject(prices);
      expect(row.volume / volume).toBeCloseTo(1, 9);
      expect(row.quoteVolume / quoteVolume).toBeCloseTo(1, 9);
      expect(row.takerBuy / takerBuy).toBeCloseTo(1, 9);
    }
  }
});

it('a minute ends at the price that the market has then', () => {
  for (const row of read('ETHUSDT', '1m'))
    if ((row.time + minute) % hour !== 0) expect(row.close).toBe(market.price('ETHUSDT', row.time + minute));
});

it('a running candle shorter than an hour has the minutes that are over, and nothing later', () => {
  const until = now - 43 * minute - 1;
  const [running] = read('BTCUSDT', '30m', until).slice(-1);
  expect(running).toEqual(groupCandles(read('BTCUSDT', '1m', until), 30 * minute).at(-1));
  expect(running?.close).toBe(market.price('BTCUSDT', now - 44 * minute));
});
