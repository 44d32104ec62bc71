import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { createCatchUp } from '#src/service/collecting/catch-up.ts';
import candles from '#src/service/collecting/collectors/candles.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import { klineWeight } from '#src/service/venues/binance/client.ts';
import binance from '#src/service/venues/binance/venue.ts';
import type { Exchanges } from '#src/service/venues/open-exchanges.ts';
import type { VenueClient } from '#src/service/venues/venue.ts';

const midnight = Date.UTC(2026, 8, 5);

/** The path and number of rows of each request, and the weight spent on all of them. */
let asked: string[];
let weight: number;
let answer: (query: URLSearchParams) => readonly unknown[];
let markets: VenueClient;
beforeEach(() => {
  [asked, weight, answer] = [[], 0, () => []];
  markets = binance.open({
    url: 'https://venue.example',
    wall: { now: () => midnight, sleep: async () => {} },
    signal: new AbortController().signal,
    pools: binance.pools,
    memory: {
      storedState: undefined,
      async store(state) {
        const { pools } = state as { pools: { weight: { spent: readonly [number, number][] } } };
        weight = pools.weight.spent.reduce((sum, [, cost]) => sum + cost, 0);
      },
    },
    transport: {
      async get(_, { target: { pathname, searchParams } }) {
        asked.push(`${pathname} ${searchParams.get('limit')}`);
        return { status: 200, headers: {}, text: JSON.stringify(answer(searchParams)) };
      },
      close: async () => {},
    },
  });
});

describe('klines', () => {
  it.each([
    [1, 1],
    [99, 1],
    [100, 2],
    [499, 2],
    [500, 5],
    [1_000, 5],
    [1_001, 10],
  ])('%i of them have the weight %i', (limit, expected) => expect(klineWeight(limit)).toBe(expected));

  it.each([
    ['one that lacks', 1, 1, 1],
    ['as many as weigh one', 99, 99, 1],
    ['as many as weigh two', 499, 499, 2],
    ['more than an answer is asked for', 1_500, 499, 2],
  ])('no more are requested than the page has: %s', async (_, rows, limit, cost) => {
    const page = { from: midnight - (rows - 1) * 5 * minute, to: midnight };
    await markets.closes?.('mark', { symbol: 'BTCUSDT', page });
    expect([asked, weight]).toEqual([[`/fapi/v1/markPriceKlines ${limit}`], cost]);
  });
});

it('a dividend among the rows of a full response does not end the settlements', async () => {
  const rows = Array.from({ length: 1_001 }, (_, index) => ({
    symbol: 'BTCUSDT',
    fundingTime: midnight + index * hour,
    fundingRate: '0.0001',
    rateType: index === 500 ? 'Special' : 'Regular',
  }));
  answer = (query) =>
    rows.filter(({ fundingTime }) => fundingTime >= Number(query.get('startTime'))).slice(0, 1_000);
  const settled = await markets.funding?.('BTCUSDT', { from: midnight, to: midnight + 1_000 * hour });
  expect(settled?.at(-1)?.time).toBe(midnight + 1_000 * hour);
  expect(asked).toHaveLength(2);
});

it.each([
  ['one snapshot', 0],
  ['a page of them', 9],
])('%s of /futures/data: a span of at least one period, and only the rows of the page', async (_, more) => {
  const page = { from: midnight - more * 5 * minute, to: midnight };
  let span = 0;
  answer = (query) => {
    const [from, to] = ['startTime', 'endTime'].map((name) => Number(query.get(name))) as [number, number];
    span = to - from;
    const rows = Array.from({ length: span / (5 * minute) + 1 }, (_, index) => from + index * 5 * minute);
    return rows.map((timestamp) => ({
      symbol: 'BTCUSDT',
      sumOpenInterest: '1',
      sumOpenInterestValue: '1',
      timestamp,
    }));
  };
  const rows = await markets.pastOpenInterest?.('BTCUSDT', page);
  expect([span, rows?.length, rows?.[0]?.time]).toEqual([
    Math.max(more, 1) * 5 * minute,
    more + 1,
    page.from,
  ]);
});

describe('catch-up', () => {
  let archive: Archive;
  beforeEach(async () => {
    archive = await openArchive('file::memory:');
  });
  afterEach(() => archive.close());

  it.each([
    ['the candle that each of a hundred markets lacks weighs one', 1, 100],
    ['and all of an outage of four days no more', 99, 100],
  ])('%s', async (_, lacking, expected) => {
    const symbols = Array.from({ length: 100 }, (_, index) => `S${index}USDT`);
    const context = {
      exchanges: { venue: binance, markets } as Partial<Exchanges> as Exchanges,
      archive,
      symbols: () => symbols,
      write: (series, rows) => archive.write(series, rows),
    } as Partial<CollectorContext> as CollectorContext;
    const price = { open: 1, high: 1, low: 1, close: 1, volume: 1, takerBuy: 1, quoteVolume: 1 };
    const candlesAt = (time: number) => symbols.map((symbol) => ({ symbol, time, ...price }));
    await archive.write('candles1d', candlesAt(midnight - day));
    await archive.write('candles1h', candlesAt(midnight - (lacking + 1) * hour));
    await archive.write('candles5m', candlesAt(midnight - 5 * minute));
    await createCatchUp(candles.histories?.(context) ?? [], context)(midnight);
    expect([new Set(asked), weight]).toEqual([new Set([`/fapi/v1/klines ${lacking}`]), expected]);
  });
});
