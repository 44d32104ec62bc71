import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Liquidation } from '#src/service/archive/archive.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import liquidations from '#src/service/collecting/collectors/liquidations.ts';
import okx from '#src/service/venues/okx/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { createAnswers } from '#test/support/venues/answers.ts';
import { playedNow, playVenue } from '#test/support/venues/play-venue.ts';

const now = playedNow;
const clock = realTime({ now: () => now });
const topOfHour = Math.floor(now / hour) * hour;

describe('the client, over the simulator', () => {
  it('recent candles are requested in one place, and earlier ones in the archive of older ones', async () => {
    const { markets, asked } = await playVenue(okx);
    const recent = { from: topOfHour - 48 * hour, to: topOfHour - hour, urgent: true };
    expect(await markets.candles?.('BTCUSDT', { interval: '1h', page: recent })).toHaveLength(48);
    expect(asked.map((path) => path.split('/').at(-1))).toEqual(['candles']);

    const old = { from: topOfHour - 100 * day, to: topOfHour - 100 * day + 299 * hour, urgent: true };
    expect(await markets.candles?.('BTCUSDT', { interval: '1h', page: old })).toHaveLength(300);
    expect(asked.at(-1)).toMatch(/history-candles$/);
  });

  it('margin tiers count coins of the pair, however many a contract has', async () => {
    const { markets } = await playVenue(okx);
    const limits = async (symbol: string) => {
      const { unit, tiers = [] } = (await markets.marginTiers?.(symbol)) ?? {};
      return [unit, ...tiers.map(({ upTo }) => upTo)];
    };
    // Contracts of 0.01 BTC, and of 10,000,000 PEPE, a thousand of which the pair has as one.
    expect(await limits('BTCUSDT')).toEqual(['COINS', 20, 40, 80]);
    expect(await limits('1000PEPEUSDT')).toEqual(['COINS', 2e7, 4e7, 8e7]);
  });

  it('a settlement in process is none yet', async () => {
    const settles = topOfHour - (topOfHour % (8 * hour));
    const settledBy = async (time: number) => {
      const { markets } = await playVenue(okx, () => time);
      const page = { from: settles - minute, to: settles + 10 * minute };
      const both = await Promise.all([
        markets.funding?.(['BTCUSDT'], page),
        markets.funding?.('BTCUSDT', page),
      ]);
      return both.map((rows) => rows?.map(({ time }) => time));
    };
    expect(await settledBy(settles + minute / 2)).toEqual([[], []]);
    expect(await settledBy(settles + 2 * minute)).toEqual([[settles], [settles]]);
  });

  it('settlements of a market reach back as far as OKX keeps them, and the latest of all come in one answer', async () => {
    const page = { from: topOfHour - 80 * day, to: topOfHour };
    const { markets, asked } = await playVenue(okx);
    const settled = (await markets.funding?.('BTCUSDT', page)) ?? [];
    const told = market.settlements('BTCUSDT', page);
    expect(told.length).toBeGreaterThan(200);
    expect(settled.map(({ time }) => time)).toEqual(told.map(({ time }) => time));

    asked.length = 0;
    const symbols = market.instruments.map(({ symbol }) => symbol);
    const lately = { from: now - 3 * hour, to: now };
    const all = (await markets.funding?.(symbols, lately)) ?? [];
    const due = symbols.flatMap((symbol) => market.settlements(symbol, lately));
    expect(due.length).toBeGreaterThan(0);
    expect(all.map(({ symbol }) => symbol).sort()).toEqual(due.map(({ symbol }) => symbol).sort());
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['says the changes of contracts only, as it documents', false],
    ['lists all contracts after subscribing, as it did before', true],
  ])(
    'as the primary venue its liquidations are stored, in coins, where it %s',
    async (_, listsInstruments) => {
      const [first] = market
        .liquidations(now, now + 2 * hour)
        .filter(({ symbol }) => symbol === '1000PEPEUSDT');
      let time = now;
      const { exchanges, asked, ending } = await playVenue(okx, () => time, { listsInstruments });
      const stored = Promise.withResolvers<object>();
      const problems: object[] = [];
      const running = liquidations.listen?.({
        exchanges: { ...exchanges, tape: undefined },
        others: [],
        archive: { put: async () => {} },
        clock: { now: () => time, speed: 1 },
        wall: wallClock,
        random: () => 1,
        signal: ending.signal,
        symbols: () => ['1000PEPEUSDT'],
        async writeLiquidations(rows: readonly Liquidation[]) {
          for (const row of rows) if (row.time === first?.time) stored.resolve(row);
        },
        report: (state: object) => void ('problem' in state && problems.push(state)),
      } as unknown as CollectorContext);
      await vi.waitUntil(() => asked.includes('/okx/api/v5/public/instruments'), { timeout: patience });
      await vi.waitUntil(() => asked.includes('/okx/ws/v5/public'), { timeout: patience });
      const near = (value = 0) => expect.closeTo(value, 6);
      // The simulator sends the liquidations of the time that has passed since it last looked.
      const moving = setInterval(() => {
        if (first !== undefined) time = first.time;
      }, 50);
      onTestFinished(() => clearInterval(moving));
      expect(await stored.promise).toEqual({
        ...first,
        price: near(first?.price),
        quantity: near(first?.quantity),
      });
      expect(problems).toEqual([]);
      ending.abort();
      await running;
    },
  );
});

describe('the simulator is as strict as OKX', () => {
  const ask = (path: string, answer = createAnswers({ market, clock })) =>
    answer(new URL(`http://x/okx/api/v5/${path}`));
  it.each<[string, string, number, string]>([
    ['a question it has', 'market/candles?instId=BTC-USDT-SWAP&bar=1H', 200, '0'],
    ['an unknown instrument', 'market/candles?instId=X-USDT-SWAP&bar=1H', 200, '51001'],
    ['without a parameter', 'market/tickers', 400, '50014'],
    ['a perpetual as an index', 'market/index-candles?instId=BTC-USDT-SWAP&bar=5m', 200, '51001'],
    ['more rows than there are', 'market/candles?instId=BTC-USDT-SWAP&bar=1H&limit=301', 200, '51000'],
  ])('%s', (_, path, status, code) => {
    const answer = ask(path);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([status, code]);
  });

  it('each request has its own limit per 2 s', () => {
    const strict = createAnswers({ market, clock, wall: { now: () => now }, limited: true });
    const path =
      'rubik/stat/contracts/long-short-account-ratio-contract?instId=BTC-USDT-SWAP&period=15m&limit=1';
    expect(Array.from({ length: 6 }, () => ask(path, strict).status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(ask('public/time', strict).status).toBe(200);
  });
});
