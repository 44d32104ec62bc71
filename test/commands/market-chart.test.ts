import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { candleIntervals, candleLengths } from '#src/contract/candle-interval.ts';
import { ema } from '#src/rules/indicators.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour } from '#src/runtime/units.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import type { Past } from '#src/service/past/past-service.ts';
import { makeArchive } from '../preview/made-archive.ts';
import { change, firing } from '../support/alerts.ts';
import { ask, caller } from '../support/commands.ts';
import { memoryStore } from '../support/memory-store.ts';

const now = Date.UTC(2025, 10, 18, 16);
let past: Past;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  const url = `file:${join(folder, 'past.db')}`;
  await makeArchive(url, { from: now - 3 * day, to: now, symbols: 2 });
  past = await openArchivedPast({ url, end: now, source: 'simulated' });
});
afterAll(async () => {
  await past.close();
  await rm(folder, { recursive: true });
});

const chartOf = async (line: string, over: object = {}): Promise<NonNullable<Card<string>['chart']>> => {
  const data = past.at(now) as never;
  const card = (await ask(line, { data, now, universe: past.symbols, ...over })) as Card<string>;
  if (card.chart === undefined) throw new Error(JSON.stringify(card));
  return card.chart;
};
const lanesOf = (chart: NonNullable<Card<string>['chart']>) => (chart.lanes ?? []).map(({ name }) => name);

describe('the market in one picture', () => {
  it('the close of a candle is named as one: that of a day may be a day old', async () => {
    const over = { data: past.at(now) as never, now, universe: past.symbols };
    const card = (await ask('chart btc 4h', over)) as Card<string>;
    expect(card.title).toMatch(/^BTC, 4h: closed at \d/);
  });

  it.each(['btc 2h', 'btc 1M', 'btc foo', 'btc 4h foo', 'zzz 4h', 'eth/btc'])(
    'a word that is nothing here is not passed over: %s',
    async (words) => {
      const over = { data: past.at(now) as never, now, universe: past.symbols };
      const card = (await ask(`chart ${words}`, over)) as Card<string>;
      expect(card.chart).toBeUndefined();
      expect(`${card.title} ${card.summary}`).toMatch(/is no market, indicator|Unknown market/);
    },
  );

  it('candles with funding, open interest, liquidations, CVD and the regime on one time axis', async () => {
    const chart = await chartOf('chart btc 1h');
    expect(lanesOf(chart)).toEqual([
      'Funding',
      'Open interest',
      'Liquidations: Binance USD-M, OKX, Bybit',
      'CVD',
      'Regime score',
    ]);
    const [price] = chart.series;
    const first = (price?.points[0]?.[0] ?? 0) - hour;
    for (const { series } of chart.lanes ?? [])
      for (const [at] of series.flatMap(({ points }) => points)) {
        expect(at).toBeGreaterThanOrEqual(first);
        expect(at).toBeLessThanOrEqual(now);
      }
  });

  it.each(candleIntervals.filter((each) => each !== '1m' && each !== '1d'))(
    '%s: closed candles one after another, the newest last',
    async (interval) => {
      const { series } = await chartOf(`chart btc ${interval}`);
      const times = series[0]?.points.map(([at]) => at) ?? [];
      expect(times.length).toBe(72);
      expect(times.at(-1)).toBeLessThanOrEqual(now);
      for (const [index, at] of times.entries())
        if (index > 0) expect(at - (times[index - 1] ?? 0)).toBe(candleLengths[interval]);
    },
  );

  it('what is typed may stand in any order', async () => {
    const one = await chartOf('chart 4h rsi btc ema');
    expect(one).toEqual(await chartOf('chart symbol=btc interval=4h with=rsi,ema'));
  });

  it('indicators are drawn where they are asked for, computed from candles before the first that is shown', async () => {
    const chart = await chartOf('chart btc 1h ema bb vwap rsi');
    const names = chart.series.map(({ name }) => name);
    expect(names).toEqual([
      'BTC',
      'EMA 20',
      'EMA 50',
      'EMA 200',
      'Bollinger, upper',
      'Bollinger, lower',
      'VWAP',
    ]);
    expect(lanesOf(chart)[0]).toBe('RSI 14');
    const { data } = await past.at(now).candles({ symbol: 'BTCUSDT', interval: '1h', limit: 1_000 });
    const expected = ema(
      data.map(({ c }) => Number(c)),
      200,
    ).slice(-72);
    expect(chart.series[3]?.points.map(([, value]) => value)).toEqual(expected);
    expect((await chartOf('chart btc 1h')).series).toHaveLength(1);
  });

  it('own alerts are marked at their price, and alerts that were posted here at their time', async () => {
    const memory = memoryStore();
    const last = (await chartOf('chart btc 1h')).series[0]?.points.at(-1)?.[1] ?? 0;
    const level = Math.round(last * 1.001);
    await ask(`alert create metric=price.last above=${level} symbols=btc name=mine`, {
      store: memory,
      now: now - hour,
    });
    const two = `price.last > ${level - 3} && close.4h < ${level + 3}`;
    await ask(`alert create when="${two}" symbols=btc name=two`, { store: memory, now: now - hour });
    const alert = { ...firing(change({ symbol: 'BTCUSDT' })), startsAt: now - 5 * hour };
    const other = { ...firing(change({ symbol: 'ETHUSDT' })), id: 'other', startsAt: now - 5 * hour };
    const store = {
      ...memory,
      deliveries: { ...memory.deliveries, recent: async () => [{ alert }, { alert }, { alert: other }] },
    };
    const chart = await chartOf('chart btc 1h', { store, caller });
    expect(chart.marks).toContainEqual(expect.objectContaining({ name: 'mine', value: level }));
    for (const value of [level - 3, level + 3])
      expect(chart.marks).toContainEqual(expect.objectContaining({ name: 'two', value }));
    expect(chart.moments?.map(({ at }) => at)).toEqual([alert.startsAt]);
    expect((await chartOf('chart btc 5m', { store, caller })).moments).toEqual([
      expect.objectContaining({ at: alert.startsAt }),
    ]);
    const others = await chartOf('chart btc 1h', { store, caller: { ...caller, readByOthers: true } });
    expect(JSON.stringify(others.marks)).not.toMatch(/mine|two/);
    expect(others.moments ?? []).toEqual([]);
  });

  it('a part that cannot be had is named, and the rest is drawn', async () => {
    const fundingHistory = () => Promise.reject(new ApiError('/funding/history', 'unreachable', 'no answer'));
    const data = new Proxy(past.at(now), {
      get: (answers, name) => (name === 'fundingHistory' ? fundingHistory : Reflect.get(answers, name)),
    });
    const card = (await ask('chart btc 1h', { data: data as never, now })) as Card<string>;
    expect(card.chart?.lanes?.map(({ name }) => name)).not.toContain('Funding');
    expect(JSON.stringify(card.facts)).toContain('Funding');
  });

  it('liquidations are those of all venues that publish them, which are named', async () => {
    const at = new Date(now - 90 * 60_000).toISOString();
    const row = { symbol: 'BTCUSDT', side: 'SHORT', price: 1, quantity: 1, event_time: at };
    const venueLiquidations = async () => ({
      data: [
        { ...row, usd_value: 70, venue: 'okx' },
        { ...row, usd_value: 30, venue: 'binance' },
      ],
      coverage: [
        { venue: 'binance', title: 'Binance USD-M', publishes: 'LARGEST_PER_SECOND' },
        { venue: 'okx', title: 'OKX', publishes: 'LARGEST_PER_SECOND' },
      ],
    });
    const data = new Proxy(past.at(now), {
      get: (answers, name) => (name === 'venueLiquidations' ? venueLiquidations : Reflect.get(answers, name)),
    });
    const chart = await chartOf('chart btc 1h', { data: data as never });
    const lane = chart.lanes?.find(({ name }) => name === 'Liquidations: Binance USD-M, OKX');
    const shorts = lane?.series[0]?.points.map(([, usd]) => usd) ?? [];
    expect(shorts.filter((usd) => usd !== 0)).toEqual([100]);
  });

  it('a coin’s card has the picture of its hours', async () => {
    const chart = await chartOf('coin btc');
    expect(chart.series[0]?.candles).toHaveLength(72);
    expect(lanesOf(chart)).toContainEqual(expect.stringContaining('Liquidations'));
  });

  describe('a coin’s card does not wait for its picture', () => {
    /** Asks where the candles wait until they are let go, and the picture comes too late for the card. */
    async function askSlow() {
      const timeout = new AbortController();
      const answers = past.at(now);
      const waited = Promise.withResolvers<void>();
      const data = new Proxy(answers, {
        get: (of, name) =>
          name === 'candles'
            ? async (...given: Parameters<typeof answers.candles>) => {
                await waited.promise;
                return answers.candles(...given);
              }
            : Reflect.get(of, name),
      });
      const soon = async () => undefined;
      const context = { data, now, soon, marketKinds: { BTCUSDT: 'STOCK' }, signal: timeout.signal };
      const { later, ...card } = await ask('coin btc', context);
      return { card, later, ...waited, timeout };
    }

    it('and is completed by it', async () => {
      const { card, later, resolve } = await askSlow();
      expect(card.facts?.map(({ name }) => name)).toContain('Open interest');
      expect(card.facts?.[0]?.value).toContain('stock');
      expect(card.chart).toBeUndefined();
      resolve();
      const whole = await later;
      expect(whole?.chart?.series[0]?.candles).toHaveLength(72);
      expect(whole?.facts).toEqual(card.facts);
    });

    it('without candles by its price alone, and in no time by nothing', async () => {
      const { later, reject } = await askSlow();
      reject(new ApiError('/candles', 'unreachable', 'no answer'));
      expect((await later)?.chart?.title).toContain('price, last');
      const late = await askSlow();
      late.timeout.abort();
      late.reject(new Error('aborted'));
      expect(late.later).toBeDefined();
      expect(await late.later).toBeUndefined();
    });
  });
});
