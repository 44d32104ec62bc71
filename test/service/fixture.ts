import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive, DataCheck, RegimeRow, SeriesName, SeriesRows } from '#src/service/archive/archive.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { createFigures, type HandlerContext } from '#src/service/handlers/handler.ts';
import binance from '#src/service/venues/binance/venue.ts';
import hyperliquid from '#src/service/venues/hyperliquid/venue.ts';
import { simulatedVenueOf } from '#src/service/venues/simulated.ts';

/** The fixture's present: seven and a half minutes past noon. */
export const now = Date.parse('2024-03-01T12:07:30.000Z');
const noon = Date.parse('2024-03-01T12:00:00.000Z');
export const universe = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];

/** Ascending times from `from`, every `step`, up to and including `to`. */
const times = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

/** A smooth wave between −1 and 1, different for every symbol. */
const wave = (symbol: string, time: number, period: number): number =>
  Math.sin((2 * Math.PI * time) / period + symbol.charCodeAt(0));

const base: Record<string, number> = { BTCUSDT: 60_000, ETHUSDT: 3_000, SOLUSDT: 100 };
const priceAt = (symbol: string, time: number): number =>
  (base[symbol] ?? 1) * (1 + 0.05 * wave(symbol, time, 3 * day));

const candle = (symbol: string, time: number, span: number) => {
  const [open, close] = [priceAt(symbol, time), priceAt(symbol, time + span)];
  const volume = 1000 + 500 * wave(symbol, time, 7 * hour);
  return {
    symbol,
    time,
    open,
    high: Math.max(open, close) * 1.001,
    low: Math.min(open, close) * 0.999,
    close,
    volume,
    takerBuy: volume * (0.5 + 0.2 * wave(symbol, time, 11 * hour)),
    quoteVolume: volume * close,
  };
};

export const regimeAt = (time: number): RegimeRow => {
  const state = Math.floor(time / (10 * day)) % 2 === 0 ? 1 : -1;
  return {
    symbol: 'BTCUSDT',
    time,
    riskOn: state > 0 ? 0.9 : 0.02,
    riskOff: state > 0 ? 0.02 : 0.9,
    state,
    trend: state,
    volatilityPercentile: 55,
    model: 1,
  };
};

/** One audit round: marks within tolerance except SOL's; open interest could not be checked. */
const checksAt = (time: number): DataCheck[] => {
  const row = { time, venue: 'Binance USD-M', role: 'PRIMARY' as const };
  const marks = universe.map((symbol): DataCheck => {
    const published = priceAt(symbol, time);
    const beyond = symbol === 'SOLUSDT';
    return {
      ...row,
      value: 'mark',
      symbol,
      verdict: beyond ? 'BEYOND' : 'WITHIN',
      published,
      publishedAt: time,
      asked: published * (beyond ? 1.02 : 1.0001),
      askedAt: time,
      difference: beyond ? -0.0196 : -0.0001,
      allowed: 0.004,
      reason: null,
      detail: null,
    };
  });
  return [
    ...marks,
    {
      ...row,
      value: 'open_interest',
      symbol: 'BTCUSDT',
      verdict: 'MISSED',
      published: null,
      publishedAt: null,
      asked: null,
      askedAt: null,
      difference: null,
      allowed: null,
      reason: 'REFUSED',
      detail: 'HTTP 429: too many requests',
    },
  ];
};

/**
 * Fills an archive with four months of three coins. SOL's newest settlement is far above its own past; BTC's funding is 1e-8.
 */
export async function filledArchive(url = 'file::memory:'): Promise<Archive> {
  const archive = await openArchive(url);
  /** Writes a row for every `step` from `from` to `to`. */
  const fill = <Name extends SeriesName>(
    series: Name,
    [from, to, step]: readonly [from: number, to: number, step: number],
    rowAt: (time: number, index: number) => SeriesRows[Name],
  ) => archive.write(series, times(from, to, step).map(rowAt));
  for (const symbol of universe) {
    await fill('candles1h', [noon - 120 * day, noon, hour], (time) => candle(symbol, time, hour));
    await fill('candles5m', [noon - 8 * day, noon + 5 * minute, 5 * minute], (time) =>
      candle(symbol, time, 5 * minute),
    );
    await fill('candles1d', [noon - 120 * day - 12 * hour, noon - 12 * hour, day], (time) =>
      candle(symbol, time, day),
    );
    await fill('funding', [noon - 40 * day - 4 * hour, noon - 4 * hour, 8 * hour], (time, i) => {
      if (symbol === 'SOLUSDT' && time === noon - 4 * hour) return { symbol, time, rate: 0.0025 };
      return { symbol, time, rate: symbol === 'BTCUSDT' ? 0.00000001 : 0.0001 + 0.00002 * (i % 3) };
    });
    await fill('openInterest', [noon - 8 * day, noon + 5 * minute, 5 * minute], (time) => {
      const contracts = 80_000 * (1 + 0.1 * wave(symbol, time, 9 * hour));
      return { symbol, time, contracts, valueUsd: contracts * priceAt(symbol, time) };
    });
    await fill('marks', [noon - 8 * day, noon + 5 * minute, 5 * minute], (time) => ({
      symbol,
      time,
      markPrice: priceAt(symbol, time) * (1 + 0.0004 * wave(symbol, time, day)),
      indexPrice: priceAt(symbol, time),
      estFunding: 0.00012,
    }));
    const there = { symbol: marketAt('hyperliquid', symbol) };
    const kept = [noon - 30 * hour, noon + 5 * minute, 5 * minute] as const;
    await fill('venueMarks', kept, (time) => ({
      ...there,
      time,
      markPrice: priceAt(symbol, time) * 1.0002,
      indexPrice: priceAt(symbol, time),
      estFunding: symbol === 'SOLUSDT' ? 0.00005 : 0.00001,
      fundingHours: 1,
    }));
    await fill('venueOpenInterest', kept, (time) => {
      const contracts = 20_000 * (1 + 0.1 * wave(symbol, time, 5 * hour));
      return { ...there, time, contracts, valueUsd: contracts * priceAt(symbol, time) };
    });
    for (const series of ['topRatio', 'globalRatio'] as const)
      await fill(series, [noon - 31 * day, noon, 15 * minute], (time) => ({
        symbol,
        time,
        longRatio: 0.5 + 0.2 * wave(series, time, day),
      }));
    await fill('book', [noon - 30 * hour, noon + 7 * minute, minute], (time) => ({
      symbol,
      time,
      bidPrice: priceAt(symbol, time) * 0.9999,
      askPrice: priceAt(symbol, time) * 1.0001,
      imbalance: 0.8 * wave(symbol, time, 3 * hour),
    }));
  }
  await archive.put('listings', {
    begun: noon - 10 * day,
    at: noon,
    markets: {},
    changes: [
      { time: noon - 8 * day, symbol: 'OLDUSDT', change: 'DELISTED' },
      { time: noon - 6 * hour, symbol: 'SOLUSDT', change: 'INTERVAL', hours: 4, hoursBefore: 8 },
      {
        ...{ time: noon, symbol: 'NEWUSDT', change: 'LISTED', effective: noon - hour },
        ...{ price: 0.00000042, volume: 1_500_000, hours: 4 },
      },
    ],
  });
  for (const symbol of ['BTC', 'ETH'])
    await fill('options', [noon - 8 * day, noon, 15 * minute], (time) => ({
      symbol,
      time,
      callOI: 1000,
      putOI: 650 + 100 * wave(symbol, time, day),
      maxPain: 61_000,
      avgIV: 55.5,
    }));
  for (const [symbol, level] of [
    ['sp500', 5000],
    ['gold', 2000],
    ['dxy', 104],
    ['vix', 14],
    ['fear_greed', 70],
    ['stablecoins', 140e9],
  ] as const) {
    const step = symbol === 'fear_greed' || symbol === 'stablecoins' ? day : 15 * minute;
    await fill('observations', [noon - 95 * day - 12 * hour, noon, step], (time) => ({
      symbol,
      time,
      value: level * (1 + 0.01 * wave(symbol, time, 5 * day)),
    }));
  }
  await archive.writeLiquidations(
    times(noon - 599 * minute, noon, minute).map((time, i) => ({
      symbol: universe[i % 3] ?? 'BTCUSDT',
      time: time + (i % 7),
      side: i % 2 === 0 ? ('LONG' as const) : ('SHORT' as const),
      price: priceAt(universe[i % 3] ?? 'BTCUSDT', time),
      quantity: 0.00000012 + i,
    })),
  );
  const published = times(noon - 95 * day, noon - hour, hour).map(regimeAt);
  await archive.write('regimes', [
    ...published,
    ...published.slice(-48).map((row) => ({ ...row, symbol: 'ETHUSDT' })),
  ]);
  const healthy = { score: 100, grade: 'A', status: 'HEALTHY', summary: 'All feeds fresh' } as const;
  for (const time of times(noon - 2 * day, noon + 5 * minute, 5 * minute))
    await archive.writeQuality({ time, ...healthy });
  await archive.writeDataChecks(times(noon - 100 * minute, noon, 10 * minute).flatMap(checksAt));
  for (const feed of ['candles', 'funding', 'open-interest', 'liquidations'])
    await archive.writeFeed({ feed, lastUpdate: noon + 5 * minute, problem: null });
  await archive.put('universe', {
    at: noon,
    wanted: universe.length,
    symbols: universe.map((symbol) => ({ symbol, listed: 0 })),
  });
  return archive;
}

export const contextAt = async (archive: Archive, at = now): Promise<HandlerContext> => ({
  archive,
  figures: createFigures(),
  now: at,
  universe,
  feeds: archive.feeds,
  askTiers: async () => ({ unit: 'USD', tiers: [{ maintenanceRate: 0.005, maxLeverage: 100 }] }),
  state: {
    source: 'simulated',
    speed: 1,
    ready: true,
    backfill: 1,
    version: '0.0.0',
    sourceOf: () => 'simulated',
    venues: [simulatedVenueOf(binance), hyperliquid],
  },
});
