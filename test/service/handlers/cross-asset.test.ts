import { describe, expect, it } from 'vitest';
import { day, hour, minute } from '#src/runtime/units.ts';
import { dxyScore, stablecoinFlow } from '#src/service/analytics/cross-asset.ts';
import type { ArchiveReader } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { crossAssetAt, crossAssetHistory } from '#src/service/handlers/cross-asset.ts';
import { createFigures, type HandlerContext } from '#src/service/handlers/handler.ts';
import { seededRandom } from '../analytics/bars.ts';

const now = Date.UTC(2026, 0, 10);

it.each([
  ['dxy', undefined],
  ['broad_dollar', 'BROAD'],
])('the dollar index stored as %s is served as dxy, with the name %s', async (symbol, dollarIndex) => {
  await using archive = await openedArchive();
  await archive.write('observations', [
    { symbol, time: now - 2 * day, value: 100 },
    { symbol, time: now - day, value: 101 },
  ]);
  const context = contextOf(archive);
  expect(await crossAssetAt(context)).toMatchObject({ dxy: 101, ...(dollarIndex && { dollarIndex }) });
  const history = await crossAssetHistory.answer({ hours: 72 }, context);
  expect([history.data.at(-1)?.dxy, history.dollarIndex]).toEqual([101, dollarIndex]);
});

it('the dollar is scored by its last 30 days, and the flow of stablecoins is that of a week', async () => {
  await using archive = await openedArchive();
  const daily = (symbol: string, count: number, value: (age: number) => number) =>
    Array.from({ length: count }, (_, age) => ({ symbol, time: now - age * day, value: value(age) }));
  await archive.write('observations', [
    ...daily('dxy', 60, (age) => (age < 30 ? 100 + (age % 2) : 1_000)),
    ...daily('stablecoins', 30, (age) => (age > 8 ? 1 : 200 - age)),
  ]);
  const { dxyScore: score, stablecoinFlow: flow } = await crossAssetAt(contextOf(archive));
  expect(score).toBe(dxyScore(Array.from({ length: 30 }, (_, index) => 100 + ((29 - index) % 2))));
  expect(flow).toBe(stablecoinFlow([192, 200]));
});

it.each([
  ['dxy', 0],
  ['broad_dollar', 8 * day],
])(
  'a daily close is correlated with bitcoin’s of the same day, whenever it became known: %s',
  async (dollar, lag) => {
    await using archive = await openedArchive();
    const random = seededRandom(1);
    const closes = Array.from({ length: 42 }, (_, i) => ({ end: now - i * day, close: 100 + random() }));
    await archive.write(
      'candles1h',
      closes.map(({ end, close }) => ({
        symbol: 'BTCUSDT',
        time: end - hour,
        ...{ open: close, high: close, low: close, close, volume: 1, takerBuy: 0.5, quoteVolume: close },
      })),
    );
    await archive.write(
      'observations',
      closes.flatMap(({ end, close }) => [
        { symbol: 'sp500', time: end, value: close },
        { symbol: 'gold', time: end, value: close },
        { symbol: dollar, time: end + lag, value: close },
      ]),
    );
    const { data } = await crossAssetHistory.answer({ hours: 24 }, contextOf(archive));
    const known = closes.find(({ end }) => end + lag === now)?.close ?? Number.NaN;
    expect(data.at(-1)).toMatchObject({
      ...{ btc_sp500_corr: 1, btc_gold_corr: 1, btc_dxy_corr: 1 },
      dxy: expect.closeTo(known, 4),
    });
  },
);

it.each([
  { stored: { gold_perpetual: hour }, served: 2_002, goldMarket: 'PERPETUAL' },
  { stored: { gold: hour, gold_perpetual: hour }, served: 2_001 },
  { stored: { gold: 6 * day, gold_perpetual: hour }, served: 2_002, goldMarket: 'PERPETUAL' },
  { stored: { gold: hour }, served: 2_001 },
])('gold is the provider’s fresh one, or else the perpetual and named so: $stored', async (given) => {
  await using archive = await openedArchive();
  const rowOf = ([symbol, age]: [string, number]) => {
    return { symbol, time: now - age, value: symbol === 'gold' ? 2_001 : 2_002 };
  };
  await archive.write('observations', Object.entries(given.stored).map(rowOf));
  const { data, goldMarket } = await crossAssetHistory.answer({ hours: 24 }, contextOf(archive));
  expect([data.at(-1)?.gold, goldMarket]).toEqual([given.served, given.goldMarket]);
});

it.each([
  { stored: { sp500: hour, sp500_perpetual: hour }, served: 1 },
  { stored: { sp500_perpetual: hour, sp500_etf_perpetual: hour }, served: 2, sp500Market: 'PERPETUAL' },
  { stored: { sp500: 6 * day, sp500_etf_perpetual: hour }, served: 3, sp500Market: 'ETF_PERPETUAL' },
  {
    stored: { sp500_perpetual: 6 * day, sp500_etf_perpetual: hour },
    served: 3,
    sp500Market: 'ETF_PERPETUAL',
  },
  { stored: {} },
])('the S&P 500 is the provider’s fresh one, or else a perpetual and named so: $stored', async (given) => {
  await using archive = await openedArchive();
  const series = ['sp500', 'sp500_perpetual', 'sp500_etf_perpetual'];
  const rows = Object.entries(given.stored).map(([symbol, age]) => ({
    ...{ symbol, time: now - age },
    value: 1 + series.indexOf(symbol),
  }));
  await archive.write('observations', rows);
  const { data, sp500Market } = await crossAssetHistory.answer({ hours: 24 }, contextOf(archive));
  expect([data.at(-1)?.sp500, sp500Market]).toEqual([given.served, given.sp500Market]);
});

it.each([
  [24, 2],
  [25, 1],
])(
  'over %i hours the values of every moment are listed, over more those of full hours',
  async (hours, count) => {
    await using archive = await openedArchive();
    const times = [now - 30 * minute, now];
    await archive.write(
      'observations',
      times.map((time) => ({ symbol: 'sp500', time, value: 6_000 })),
    );
    const { data } = await crossAssetHistory.answer({ hours }, contextOf(archive));
    expect(data).toHaveLength(count);
  },
);

describe('the structure of funding', () => {
  const settled = (symbol: string, { hours, rate }: { readonly hours: number; readonly rate: number }) =>
    Array.from({ length: 4 }, (_, i) => ({ symbol, time: now - i * hours * hour, rate }));
  const structure = async (context: HandlerContext) => (await crossAssetAt(context)).fundingStructure;

  it.each([
    [1, 'CONTANGO'],
    [8, 'FLAT'],
  ])('takes a rate of 0.001 % for the %i h between two settlements: %s', async (hours, expected) => {
    await using archive = await openedArchive();
    await archive.write('funding', settled('BTCUSDT', { hours, rate: 0.00001 }));
    expect(await structure({ ...contextOf(archive), universe: ['BTCUSDT'] })).toBe(expected);
  });

  it('is that of all tracked coins, however few the answers are about', async () => {
    await using archive = await openedArchive();
    const tracked = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'];
    for (const symbol of tracked)
      await archive.write(
        'funding',
        settled(symbol, { hours: 8, rate: symbol === 'BTCUSDT' ? -0.001 : 0.001 }),
      );
    const context = { ...contextOf(archive), universe: ['BTCUSDT'] };
    expect(await structure({ ...context, tracked })).toBe('CONTANGO');
    expect(await structure(context)).toBe('BACKWARDATION');
  });
});

const contextOf = (archive: ArchiveReader) =>
  ({
    archive,
    figures: createFigures(),
    now,
    universe: [],
    feeds: async () => [],
    state: {
      source: 'live',
      speed: 1,
      ready: true,
      backfill: 1,
      version: '0',
      sourceOf: () => 'live',
    },
  }) satisfies HandlerContext;

async function openedArchive() {
  const archive = await openArchive('file::memory:');
  return Object.assign(archive, { [Symbol.asyncDispose]: () => archive.close() });
}
