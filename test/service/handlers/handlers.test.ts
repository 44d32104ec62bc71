import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contract, type EndpointAnswer, type EndpointName, type QueryInput } from '#src/contract/index.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { answerWith, lastWindow } from '#src/service/handlers/handler.ts';
import { handlers } from '#src/service/handlers/index.ts';
import { coinSignals } from '#src/service/handlers/signals.ts';
import { toJson } from '#src/service/http/json.ts';
import { parseQuery } from '#src/service/http/query.ts';
import { contextAt, filledArchive, now, universe } from '../fixture.ts';

let archive: Archive;
beforeAll(async () => {
  archive = await filledArchive();
});
afterAll(() => archive.close());

/** Asks a handler as it is served: through the parser of queries and JSON. */
async function ask<Name extends EndpointName>(
  name: Name,
  query: QueryInput<Name> | Record<string, unknown> = {},
  at = now,
): Promise<EndpointAnswer<Name>> {
  const answer = await answerWith(handlers[name], {
    query: parseQuery(name, query),
    context: await contextAt(archive, at),
  });
  return JSON.parse(toJson(answer));
}

const names = Object.keys(contract) as EndpointName[];
const ascending = (times: readonly string[]) => expect(times).toEqual([...times].sort());
const timesOf = (rows: readonly { timestamp: string }[]) => rows.map(({ timestamp }) => timestamp);

describe('every response follows the contract', () => {
  it.each(names)('%s: it validates, and the contract knows all of its fields', async (name) => {
    const answer = await ask(name);
    expect(contract[name].answer.parse(answer)).toEqual(answer);
  });

  it.each(names.filter((name) => name !== 'meta'))(
    '%s: at a past moment it reads nothing later',
    async (name) => {
      const past = now - 5 * hour;
      const times = JSON.stringify(await ask(name, {}, past)).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
      for (const time of times) expect(time <= iso(past)).toBe(true);
    },
  );

  it.each(names.filter((name) => 'symbol' in (contract[name].query as { shape: object }).shape))(
    '%s: an unknown symbol is refused',
    async (name) => {
      await expect(ask(name, { symbol: 'NOPEUSDT' })).rejects.toThrow(/^Invalid symbol$/);
    },
  );
});

describe('regime', () => {
  it('/regime: the newest closed hour', async () => {
    const { current } = await ask('regimeProbabilities');
    expect(await ask('regime')).toEqual({
      regime: current.legacyRegime,
      confidence: current.confidence,
      score: current.score,
    });
  });

  it('/regime/probabilities: confidence is the probability of the confirmed state', async () => {
    const { current, probabilities, transition, crossAsset, dataHealth } = await ask('regimeProbabilities');
    expect(current.confidence).toBe(probabilities[current.state]);
    expect([transition, dataHealth]).toEqual([null, 'OK']);
    expect(crossAsset).toMatchObject({ sp500: { signal: expect.any(String) }, fundingStructure: 'CONTANGO' });
    expect(Object.keys(crossAsset).sort()).toEqual([
      'dxy',
      'dxyScore',
      'fundingStructure',
      'sp500',
      'stablecoinFlow',
    ]);
  });

  it('of a market: its own rows, named in the answer; a market that is not followed is refused', async () => {
    const symbol = 'ETHUSDT';
    expect(await ask('regime', { symbol })).toMatchObject({ symbol });
    expect(await ask('regimeProbabilities', { symbol })).toMatchObject({ symbol, transition: null });
    const { data } = await ask('regimeHistory', { symbol, days: 90 });
    expect(data).toHaveLength(48);
    await expect(ask('regime', { symbol: 'NOPEUSDT' })).rejects.toThrow('Invalid symbol');
    await expect(ask('regime', { symbol: 'SOLUSDT' })).rejects.toThrow(/published regime/);
    expect(await ask('regime')).not.toHaveProperty('symbol');
  });

  it('/regime/markets: each market that has one, and the share in each state', async () => {
    const { data, breadth, count } = await ask('regimeMarkets');
    expect(data.map(({ symbol }) => symbol)).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect(count).toBe(2);
    expect(Object.values(breadth).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  it('/regime/history: newest first, 7 days by default, at most 90, as published at the close', async () => {
    const { data } = await ask('regimeHistory');
    expect(data).toHaveLength(7 * 24);
    expect(timesOf(data)).toEqual(timesOf(data).toSorted().reverse());
    expect(data[0]?.timestamp).toBe(iso(now - (now % hour)));
    expect((await ask('regimeHistory', { days: 90 })).data).toHaveLength(90 * 24);
    await expect(ask('regimeHistory', { days: 91 })).rejects.toThrow('at most 90');
  });
});

describe('rule 2: /intelligence', () => {
  it('24 closed hourly candles, 10 settlements, 24 snapshots, oldest first, strings as strings', async () => {
    const { candles24h, fundingHistory, oiHistory, ...rest } = await ask('intelligence', {
      symbol: 'SOLUSDT',
    });
    expect([candles24h.length, fundingHistory.length, oiHistory.length]).toEqual([24, 10, 24]);
    ascending(candles24h.map(({ open_time }) => open_time));
    expect(candles24h.at(-1)?.open_time).toBe(iso(now - (now % hour) - hour));
    expect(fundingHistory.at(-1)).toEqual({
      timestamp: iso(now - (now % hour) - 4 * hour),
      rate: '0.00250000',
    });
    expect(rest).toMatchObject({ symbol: 'SOLUSDT', funding: 0.0025, price: expect.any(Number) });
  });

  it('a symbol without a price yet can be asked about in a moment, whatever is known of others', async () => {
    const context = { ...(await contextAt(archive)), universe: ['NEWUSDT'] };
    const query = parseQuery('intelligence', { symbol: 'NEWUSDT' });
    const asked = (latest: Archive['latest']) =>
      answerWith(handlers.intelligence, {
        query,
        context: { ...context, archive: Object.assign(Object.create(archive), { latest }) },
      });
    for (const latest of [archive.latest.bind(archive), async () => []])
      await expect(asked(latest)).rejects.toMatchObject({ reason: 'server_error', retryAfter: 5_000 });
  });
});

describe('rule 3: /market/overview', () => {
  it('the strongest deviation from neutral first, one row for each coin', async () => {
    const { coins } = await ask('marketOverview');
    expect(coins.map(({ symbol }) => symbol).sort()).toEqual(universe);
    const strengths = coins.map(({ signal }) => Math.abs(signal));
    expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
    for (const { signal, master } of coins) {
      expect(Math.sign(master - 50)).toBe(Math.sign(signal));
      expect(Math.abs(signal)).toBeLessThanOrEqual(1);
    }
  });

  it('signals stay the same until the next close, but not when the data comes from another venue', async () => {
    const own = await openArchive('file::memory:');
    onTestFinished(() => own.close());
    const context = await contextAt(own);
    const [primary, other] = context.state.venues ?? [];
    const fill = (growth: number) =>
      own.write(
        'candles1h',
        Array.from({ length: 60 }, (_, index) => {
          const close = 100 * growth ** index + (index % 2);
          const candle = { open: close, high: close, low: close, close };
          const time = now - (now % hour) - (60 - index) * hour;
          return { symbol: 'BTCUSDT', time, ...candle, volume: 2, takerBuy: 1, quoteVolume: 2 * close };
        }),
      );
    const signalFrom = async (venue: typeof primary) => {
      const venues = venue === undefined ? [] : [venue];
      const signals = await coinSignals({ ...context, state: { ...context.state, venues } }, ['BTCUSDT']);
      return signals.get('BTCUSDT');
    };
    await fill(1.01);
    const rising = await signalFrom(primary);
    await fill(0.99);
    expect(await signalFrom(primary)).toBe(rising);
    expect([Number(rising) > 0, Number(await signalFrom(other)) < 0]).toEqual([true, true]);
  });

  it('a stale fear and greed index is replaced by the estimate', async () => {
    const { fearGreed } = await ask('marketOverview');
    expect(fearGreed).toBeGreaterThan(60);
    const stale = await contextAt(archive, now + 60 * hour);
    const later = await answerWith(handlers.marketOverview, { query: {}, context: stale });
    expect(later.fearGreed).toBeGreaterThanOrEqual(0);
    expect(later.fearGreed).not.toBe(fearGreed);
    // The interface has no field that tells which of the two it is.
    expect((await ask('meta')).fearGreed).toBe('published');
    expect((await answerWith(handlers.meta, { query: {}, context: stale })).fearGreed).toBe('estimated');
  });
});

describe('rules 4 to 7: windows and signals as published', () => {
  it('/basis: oldest first, current is the last row, its signal by 0.05 %', async () => {
    const { data, current, signal, dataPoints } = await ask('basis', { hours: 168 });
    ascending(timesOf(data));
    expect([dataPoints, current]).toEqual([data.length, data.at(-1)]);
    const pct = current?.basisPct ?? 0;
    expect(signal).toBe(pct > 0.05 ? 'CONTANGO' : pct < -0.05 ? 'BACKWARDATION' : 'FLAT');
    expect((await ask('basis')).data).toHaveLength(24 * 12);
  });

  it('/volume/cvd: closed hours of the window, cvd the running sum of delta', async () => {
    const { data, totalCvd, pressure, dataPoints } = await ask('volumeCvd');
    expect([data.length, dataPoints]).toEqual([24, 24]);
    ascending(timesOf(data));
    let sum = 0;
    for (const row of data) {
      sum += row.delta;
      expect(row.cvd).toBeCloseTo(sum, 6);
      expect(row.delta).toBeCloseTo(row.buyVolume - row.sellVolume, 6);
    }
    expect(totalCvd).toBe(data.at(-1)?.cvd);
    expect(pressure).toBe(totalCvd > 0 ? 'BUY_PRESSURE' : 'SELL_PRESSURE');
  });

  it('/options/summary: BULLISH_OPTIONS below 0.7, BEARISH_OPTIONS above 1.2, NEUTRAL between', async () => {
    const cases = [
      [690, 'BULLISH_OPTIONS'],
      [700, 'NEUTRAL'],
      [1200, 'NEUTRAL'],
      [1201, 'BEARISH_OPTIONS'],
    ] as const;
    const own = await openArchive('file::memory:');
    for (const [i, [putOI, expected]] of cases.entries()) {
      const time = now - hour + i;
      await own.write('options', [{ symbol: 'ETH', time, callOI: 1000, putOI, maxPain: 3000, avgIV: 50 }]);
      const answer = await answerWith(handlers.optionsSummary, {
        query: parseQuery('optionsSummary', { currency: 'ETH' }),
        context: await contextAt(own, time),
      });
      expect([answer.signal, answer.current?.putCallRatio]).toEqual([expected, putOI / 1000]);
    }
    await own.close();
  });

  it('/spread: minutes of the window, current the last', async () => {
    const { data, current, avgSpreadPct } = await ask('spread', { hours: 1 });
    expect(data).toHaveLength(60);
    expect(current).toEqual(data.at(-1));
    expect(avgSpreadPct).toBeCloseTo(0.02, 4);
  });
});

it('a window of a fraction of an hour is one of whole ms, as bigint columns are compared with it', () => {
  expect(lastWindow(hour / 3.3, now)).toEqual({ from: now - 1_090_909 + 1, to: now });
});

describe('/listings', () => {
  it('changes of the last 7 days by default, newest first, with what is known of each', async () => {
    const { data, count, since } = await ask('listings');
    expect([data.map(({ symbol, change }) => `${symbol} ${change}`), count]).toEqual([
      ['NEWUSDT LISTED', 'SOLUSDT INTERVAL'],
      2,
    ]);
    expect(data[0]).toMatchObject({ price: 0.00000042, volume24hUsd: 1_500_000, intervalHours: 4 });
    expect(data[1]).toMatchObject({ intervalHours: 4, intervalHoursBefore: 8 });
    expect((await ask('listings', { days: 30 })).data.map(({ symbol }) => symbol)).toContain('OLDUSDT');
    expect(Date.parse(since)).toBeLessThan(now - 9 * day);
  });

  it('there is no response before the first list', async () => {
    await expect(ask('listings', {}, now - 11 * day)).rejects.toMatchObject({ reason: 'server_error' });
  });
});

describe('rule 8: /oi/momentum', () => {
  it('six hours by default, oldest first, current the last row', async () => {
    const { data, current, dataPoints, maxAcceleration } = await ask('oiMomentum');
    expect([data.length, dataPoints]).toEqual([72, 72]);
    ascending(timesOf(data));
    expect(current).toEqual(data.at(-1));
    expect(maxAcceleration).toBe(Math.max(...data.map((row) => row.accelerationPct)));
  });
});

describe('rules 9 and 10: funding', () => {
  it('/funding/extremes: a coin far above its own past; a rate that never moved is not eligible', async () => {
    const { data, count, threshold } = await ask('fundingExtremes');
    expect(data).toMatchObject([{ symbol: 'SOLUSDT', severity: 'EXTREME', direction: 'OVERLEVERAGED_LONG' }]);
    expect([count, threshold]).toEqual([1, expect.stringContaining('1.5')]);
  });

  it('/funding/history: ascending, 8 decimals as strings, annualized = rate × 3 × 365 × 100', async () => {
    const { data } = await ask('fundingHistory', { limit: 5 });
    expect(data).toHaveLength(5);
    ascending(timesOf(data));
    for (const { timestamp, rate, annualized } of data) {
      expect(rate).toBe('0.00000001');
      expect(Number(annualized)).toBeCloseTo(Number(rate) * 3 * 365 * 100, 4);
      expect(new Date(timestamp).getUTCHours() % 8).toBe(0);
    }
  });

  it('/funding/current: one row per symbol, the most recent settlement', async () => {
    const { data } = await ask('fundingCurrent');
    expect(data.map(({ symbol }) => symbol)).toEqual(universe);
    for (const { timestamp } of data) expect(timestamp).toBe('2024-03-01T08:00:00.000Z');
  });
});

describe('open interest, liquidations', () => {
  it('/oi: 100 snapshots ascending, decimals as strings', async () => {
    const { data } = await ask('oi');
    expect(data).toHaveLength(100);
    ascending(timesOf(data));
  });

  it('/liquidations: newest first over all coins, 100 by default, 500 at most', async () => {
    const { data } = await ask('liquidations');
    expect(data).toHaveLength(100);
    const times = data.map(({ event_time }) => event_time);
    expect(times).toEqual(times.toSorted().reverse());
    expect(new Set(data.map(({ symbol }) => symbol))).toEqual(new Set(universe));
    expect((await ask('liquidations', { limit: 500 })).data).toHaveLength(500);
  });

  it('/liquidations: symbol filters, since excludes the event at it', async () => {
    const all = (await ask('liquidations', { symbol: 'ETHUSDT', limit: 10 })).data;
    expect(new Set(all.map(({ symbol }) => symbol))).toEqual(new Set(['ETHUSDT']));
    const since = all[3]?.event_time ?? '';
    expect((await ask('liquidations', { symbol: 'ETHUSDT', since })).data).toEqual(all.slice(0, 3));
    expect((await ask('liquidations', { since: iso(now + day) })).data).toEqual([]);
  });

  it('/liquidations: a tiny quantity is a plain decimal string', async () => {
    const { data } = await ask('liquidations', { limit: 500, symbol: 'BTCUSDT' }, now - 9.9 * hour);
    expect(data.at(-1)?.quantity).toBe('0.00000012');
  });
});

describe('rules 11 and 12: series every 15 minutes', () => {
  it('/cross-asset/history: all points of a day, hourly ones beyond, correlations within −1 and 1', async () => {
    const aDay = await ask('crossAssetHistory');
    expect([aDay.data.length, aDay.count]).toEqual([96, 96]);
    ascending(timesOf(aDay.data));
    for (const row of aDay.data) expect(Math.abs(row.btc_dxy_corr ?? 9)).toBeLessThanOrEqual(1);
    const quarter = await ask('crossAssetHistory', { hours: 2160 });
    expect(quarter.count).toBe(2160);
  });

  it('/ls-ratio/history: both types, shares summing to 1', async () => {
    const top = await ask('lsRatioHistory', { hours: 720 });
    const global = await ask('lsRatioHistory', { type: 'global_account' });
    expect([top.type, top.dataPoints, global.type]).toEqual(['top_position', 720 * 4, 'global_account']);
    expect(top.data.at(-1)).not.toEqual(global.data.at(-1));
    for (const { longRatio, shortRatio } of top.data) expect(longRatio + shortRatio).toBeCloseTo(1, 12);
    await expect(ask('lsRatioHistory', { type: 'other' })).rejects.toThrow(
      'type must be one of top_position, global_account; given: "other"',
    );
  });
});

describe('rule 13: data quality', () => {
  it('/data/quality: healthy while feeds are fresh, a quiet liquidation socket included', async () => {
    const quality = await ask('dataQuality');
    expect(quality).toMatchObject({ score: 100, grade: 'A', status: 'HEALTHY' });
    expect(quality.checks.candles.ageMinutes).toBe(7.5);
  });

  it('/data/quality: a late feed, a symbol left behind and a dead socket each lower the score', async () => {
    const context = await contextAt(archive);
    const at = async (changed: Partial<typeof context>) =>
      answerWith(handlers.dataQuality, { query: {}, context: { ...context, ...changed } });
    const late = await at({ now: now + 40 * minute });
    expect([late.checks.oi_history.fresh, late.checks.candles.fresh, late.status]).toEqual([
      false,
      true,
      'DEGRADED',
    ]);
    expect((await at({ universe: [...universe, 'NEWUSDT'] })).score).toBeLessThan(100);
    const silent = (await context.feeds()).map((feed) =>
      feed.feed === 'liquidations' ? { ...feed, problem: 'silent for 10 min' } : feed,
    );
    expect((await at({ feeds: async () => silent })).checks.liquidation_events?.fresh).toBe(false);
  });

  it('/data/quality: since when liquidations are complete, while the stream is up', async () => {
    const since = now - 20 * minute;
    const context = await contextAt(archive);
    const get = async (key: string) => (key === 'liquidations.complete' ? since : archive.get(key));
    const at = async (changed: Partial<typeof context>) => {
      const given = { ...context, archive: { ...archive, get }, ...changed };
      return (await answerWith(handlers.dataQuality, { query: {}, context: given })).checks
        .liquidation_events;
    };
    expect(await at({})).toMatchObject({ fresh: true, completeSince: iso(since) });
    expect(await at({ now: since })).not.toHaveProperty('completeSince');
    expect(await at({ archive })).not.toHaveProperty('completeSince');
    const down = (await context.feeds()).map((feed) => ({ ...feed, problem: 'closed' }));
    expect(await at({ feeds: async () => down })).not.toHaveProperty('completeSince');
  });

  it('/data/quality: a value drifts by the checks of six hours', async () => {
    const own = await openArchive('file::memory:');
    onTestFinished(() => own.close());
    const check = {
      ...({ value: 'mark', symbol: 'BTCUSDT', venue: 'X', role: 'PRIMARY', verdict: 'BEYOND' } as const),
      ...{ published: 1, publishedAt: now, asked: 2, askedAt: now, difference: -0.5, allowed: 0.01 },
      ...{ reason: null, detail: null },
    };
    await own.writeDataChecks([now, now + minute].map((time) => ({ ...check, time })));
    const driftsAt = async (at: number) => {
      const context = await contextAt(own, at);
      return (await answerWith(handlers.dataQuality, { query: {}, context })).drifts;
    };
    expect(await driftsAt(now + 6 * hour - 1)).toMatchObject([{ value: 'mark', checks: 2, beyond: 2 }]);
    expect(await driftsAt(now + 6 * hour)).toBeUndefined();
  });

  it('/data/quality/history: oldest first, window named', async () => {
    const { data, count, window } = await ask('dataQualityHistory');
    expect([data.length, count, window]).toEqual([288, 288, '24h']);
    ascending(timesOf(data));
  });
});

describe('extensions of the interface', () => {
  it('/candles: closed ones, oldest first, decimals as strings, 100 hourly ones by default', async () => {
    const hourly = await ask('candles');
    expect([hourly.interval, hourly.data.length]).toEqual(['1h', 100]);
    ascending(hourly.data.map(({ open_time }) => open_time));
    expect(hourly.data.at(-1)?.open_time).toBe(iso(now - (now % hour) - hour));
    const { candles24h } = await ask('intelligence');
    expect(hourly.data.slice(-24).map(({ open_time, c }) => ({ open_time, c }))).toEqual(candles24h);
    const daily = await ask('candles', { interval: '1d', limit: 1000 });
    expect(daily.data.at(-1)?.open_time).toBe(iso(now - (now % day) - day));
    await expect(ask('candles', { interval: '2h' })).rejects.toThrow(
      'interval must be one of 1m, 5m, 15m, 30m, 1h, 4h, 1d',
    );
  });

  it('/oi/movers: the current row and signal of /oi/momentum of every symbol, the fastest first', async () => {
    const { data, count } = await ask('oiMovers');
    expect([count, data.map(({ symbol }) => symbol).sort()]).toEqual([data.length, [...universe].sort()]);
    const speeds = data.map(({ ratePct }) => Math.abs(ratePct));
    expect(speeds).toEqual(speeds.toSorted((a, b) => b - a));
    for (const { symbol, change1hPct, signal, ...row } of data) {
      const { current, signal: expected, data: rows } = await ask('oiMomentum', { symbol });
      expect({ ...row, signal }).toEqual({ ...current, signal: expected });
      expect(change1hPct).toBeCloseTo((row.oi / (rows.at(-13)?.oi ?? 0) - 1) * 100, 4);
    }
  });

  it('/prices: what the other endpoints say of price, 1 h, 24 h, basis and longs, for every symbol at once', async () => {
    const { data, count } = await ask('prices');
    expect([count, data.map(({ symbol }) => symbol)]).toEqual([data.length, [...universe]]);
    for (const { symbol, price, timestamp, change1hPct, change24hPct, basisPct, longRatio } of data) {
      const [coin, basis, ratio, closes] = await Promise.all([
        ask('intelligence', { symbol }),
        ask('basis', { symbol }),
        ask('lsRatioHistory', { symbol }),
        ask('candles', { symbol, limit: 26 }),
      ]);
      expect([price, basisPct, longRatio]).toEqual([
        coin.price,
        basis.current?.basisPct,
        ratio.data.at(-1)?.longRatio,
      ]);
      const at = Date.parse(timestamp);
      const hourAgo = basis.data.findLast((row) => Date.parse(row.timestamp) <= at - hour)?.markPrice ?? 0;
      expect(change1hPct).toBeCloseTo((price / hourAgo - 1) * 100, 4);
      const dayAgo = closes.data.findLast((row) => Date.parse(row.open_time) + hour <= at - 24 * hour);
      expect(change24hPct).toBeCloseTo((price / Number(dayAgo?.c) - 1) * 100, 4);
    }
  });

  it.each([
    ['an hour and ten minutes before', hour + 10 * minute, 0, { change1hPct: 10, basisPct: 10 }],
    ['longer before', hour + 10 * minute + 1, 0, { change1hPct: undefined, basisPct: 10 }],
    ['before one of a quarter of an hour ago', hour, 15 * minute, { change1hPct: 10, basisPct: 10 }],
    ['before an older one', hour, 15 * minute + 1, { change1hPct: 10, basisPct: undefined }],
  ])('/prices: a change since a price %s', async (_, before, age, expected) => {
    const empty = await openArchive('file::memory:');
    onTestFinished(() => empty.close());
    const mark = { symbol: 'BTCUSDT', indexPrice: 100, estFunding: 0 };
    await empty.write('marks', [
      { ...mark, time: now - age - before, markPrice: 100 },
      { ...mark, time: now - age, markPrice: 110 },
    ]);
    const { data } = await handlers.prices.answer(parseQuery('prices', {}), await contextAt(empty));
    const { change1hPct, basisPct } = data[0] ?? {};
    expect({ change1hPct, basisPct }).toEqual(expected);
  });

  it('/prices: the longs of an hour ago are of now, and no older ones', async () => {
    const ratioAt = now - (now % hour);
    const longRatioAt = async (at: number) => (await ask('prices', {}, at)).data[0]?.longRatio;
    expect(await longRatioAt(ratioAt + hour)).toEqual(expect.any(Number));
    expect(await longRatioAt(ratioAt + hour + 1)).toBeUndefined();
  });

  it('/oi/velocity: six hours by default, current the last row', async () => {
    const { data, current, dataPoints } = await ask('oiVelocity');
    expect([data.length, dataPoints, current]).toEqual([72, 72, data.at(-1)]);
    ascending(timesOf(data));
  });

  it('/leverage: an estimate, with the size of its sample', async () => {
    expect(await ask('leverage')).toMatchObject({
      estimate: true,
      sampleSize: expect.any(Number),
      oiToVolume: expect.any(Number),
    });
  });

  it.each([
    ['whose last hour is not stored yet', 24, 2, 500_000 / 24_000],
    ['with 24 hours', 24, 1, 500_000 / 24_000],
    ['listed within the day', 23, 1, undefined],
  ])('/leverage: open interest against 24 full hours, of a market %s', async (_, hours, age, expected) => {
    const empty = await openArchive('file::memory:');
    onTestFinished(() => empty.close());
    const noon = now - (now % hour);
    const price = { open: 1, high: 1, low: 1, close: 1, volume: 1_000, takerBuy: 500, quoteVolume: 1_000 };
    const candles = Array.from({ length: hours }, (_, index) => ({
      symbol: 'BTCUSDT',
      time: noon - (age + index) * hour,
      ...price,
    }));
    await empty.write('candles1h', candles);
    await empty.write('openInterest', [{ symbol: 'BTCUSDT', time: noon, contracts: 1, valueUsd: 500_000 }]);
    const { oiToVolume } = await answerWith(handlers.leverage, {
      query: parseQuery('leverage', {}),
      context: await contextAt(empty),
    });
    expect(oiToVolume).toBe(expected && Number(expected.toFixed(4)));
  });

  it('/liquidations/zones: longs end below the price, shorts above it', async () => {
    const { zones, price, coverage, estimate } = await ask('liquidationZones');
    expect([estimate, zones.length > 0, coverage > 0]).toEqual([true, true, true]);
    for (const zone of zones) expect(Math.sign(zone.price - price)).toBe(zone.side === 'LONG' ? -1 : 1);
  });

  it('/liquidations/zones: the maps of the last 24 days are judged', async () => {
    const own = await openArchive('file::memory:');
    onTestFinished(() => own.close());
    const noon = now - (now % hour);
    const hours = Array.from({ length: 40 * 24 }, (_, index) => ({
      symbol: 'BTCUSDT',
      time: noon - index * hour,
      price: 100 + (index % 2),
    }));
    await own.write(
      'openInterest',
      hours.map(({ price, ...row }, index) => {
        const contracts = 1_000 + (index % 3);
        return { ...row, contracts, valueUsd: contracts * price };
      }),
    );
    const traded = { volume: 1, takerBuy: 0.5, quoteVolume: 100 };
    await own.write(
      'candles1h',
      hours.map(({ price, ...row }) => ({
        ...{ ...row, ...traded },
        ...{ open: price, high: 103, low: 97, close: price },
      })),
    );
    await own.writeLiquidations(
      hours.map(({ price, ...row }) => ({ ...row, side: 'LONG', price: 99, quantity: 1 })),
    );
    const { judged } = await answerWith(handlers.liquidationZones, {
      query: parseQuery('liquidationZones', {}),
      context: await contextAt(own),
    });
    expect(judged?.days).toBe(24);
  });

  it('/liquidations/cascade: a larger move liquidates more; moves are bounded by 50 %', async () => {
    const small = await ask('liquidationCascade', { movePct: '-1.5' });
    const large = await ask('liquidationCascade', { movePct: -15 });
    expect(large.estimatedTotalUsd).toBeGreaterThan(small.estimatedTotalUsd);
    expect(large.estimatedFinalPrice).toBeLessThanOrEqual(large.startPrice * 0.85 + 1e-6);
    await expect(ask('liquidationCascade', { movePct: 51 })).rejects.toThrow(
      'movePct must be a number from -50 to 50; given: "51"',
    );
  });

  it('/liquidations/score: 0 to 100 of the components told', async () => {
    const { score, components } = await ask('liquidationScore', { symbol: 'SOLUSDT' });
    const weight = components.reduce((sum, component) => sum + component.weight, 0);
    const sum = components.reduce((total, { value, weight }) => total + value * weight, 0);
    expect(score).toBeCloseTo((100 * sum) / weight, 0);
    expect(components.map(({ name }) => name)).toContain('funding');
  });

  it('/liquidations/score: positions within 2 % of the price are near', async () => {
    const known = await openArchive('file::memory:');
    onTestFinished(() => known.close());
    // A fiftieth of the contracts is new. Of those a quarter, with a leverage of 50 or 100, is liquidated within 2 %.
    await known.write(
      'openInterest',
      [980, 1_000].map((contracts, index) => ({
        ...{ symbol: 'BTCUSDT', time: now - (1 - index) * hour },
        ...{ contracts, valueUsd: 100 * contracts },
      })),
    );
    const { components } = await answerWith(handlers.liquidationScore, {
      query: parseQuery('liquidationScore', {}),
      context: await contextAt(known),
    });
    const [proximity] = components.filter(({ name }) => name === 'proximity');
    expect(proximity?.value).toBeCloseTo((2 * 0.25 * 20) / 1_000 / 0.1, 2);
  });

  it('/funding/intervals: the hours that each symbol’s settlements show', async () => {
    const { data } = await ask('fundingIntervals');
    for (const { symbol, hours, timestamp } of data) {
      const { data: settled } = await ask('fundingHistory', { symbol, limit: 2 });
      const [before = 0, newest] = settled.map((row) => Date.parse(row.timestamp));
      expect([newest, hours * hour]).toEqual([Date.parse(timestamp), (newest ?? 0) - before]);
    }
    expect(data.map(({ symbol }) => symbol)).toEqual(universe);
    // A market that has settled nothing for two days has no interval.
    const settledAt = now - (now % hour) - 4 * hour;
    expect((await ask('fundingIntervals', {}, settledAt + 28 * hour)).data).toHaveLength(universe.length);
    expect((await ask('fundingIntervals', {}, settledAt + 2 * day)).data).toEqual([]);
  });

  it('/funding/z: the standing of every symbol; those that stand out are the extremes', async () => {
    const { data } = await ask('fundingStandings');
    expect(data.map(({ symbol }) => symbol).toSorted()).toEqual([...universe].sort());
    for (const { symbol, currentRate, avg30dRate, sd30dRate, zScore, settlements } of data) {
      const { data: settled } = await ask('fundingHistory', { symbol, limit: settlements });
      expect(settled.at(-1)?.rate).toBe(currentRate.toFixed(8));
      if (zScore !== undefined) expect(zScore).toBeCloseTo((currentRate - avg30dRate) / sd30dRate, 1);
    }
    const { data: extremes } = await ask('fundingExtremes', { limit: 100 });
    const outside = data.filter(
      ({ zScore = 0, currentRate }) => Math.abs(zScore) > 1.5 && zScore * currentRate > 0,
    );
    expect(extremes.map(({ symbol }) => symbol).toSorted()).toEqual(
      outside.map(({ symbol }) => symbol).toSorted(),
    );
  });

  it('/meta lists the extensions, and nothing that the interface has', async () => {
    const { extensions } = await ask('meta');
    expect(extensions.toSorted()).toEqual(
      names.filter((name) => 'extension' in contract[name] && contract[name].extension).toSorted(),
    );
    expect(extensions).not.toContain('oi');
  });
});

describe('an archive that is still empty', () => {
  it.each(names)('%s: an empty response or "nothing yet", never a crash', async (name) => {
    const empty = await openArchive('file::memory:');
    try {
      const answer = await answerWith(handlers[name], {
        query: parseQuery(name, {}),
        context: await contextAt(empty),
      });
      expect(contract[name].answer.safeParse(answer).success).toBe(true);
    } catch (error) {
      expect(error).toMatchObject({ name: 'ApiError', reason: 'server_error' });
    } finally {
      await empty.close();
    }
  });
});

describe('minutes after its listing a market answers with what is known', () => {
  const symbol = 'NEWUSDT';
  const mark = { symbol, time: now, markPrice: 2, indexPrice: 2, estFunding: 0.0001 };
  const interest = { symbol, time: now, contracts: 50, valueUsd: 100 };
  const askNew = async (name: 'intelligence' | 'fundingHistory' | 'oi', known: object) => {
    const market = { symbol, listed: now - 3 * minute, volume: 10, price: 2, at: now, ...known };
    return answerWith(handlers[name], {
      query: parseQuery(name, { symbol }),
      context: { ...(await contextAt(archive)), listed: new Map([[symbol, market]]) },
    });
  };

  it.each([
    [
      'intelligence',
      { mark, interest },
      { price: 2, funding: 0.0001, oiHistory: [{ oi_value_usd: '100.00' }] },
    ],
    ['intelligence', { mark }, { price: 2, funding: 0.0001, oiHistory: [] }],
    ['intelligence', {}, { price: 2, oiHistory: [] }],
    ['oi', { mark, interest }, { data: [{ oi_value_usd: '100.00' }] }],
    ['oi', {}, { data: [] }],
    ['fundingHistory', { mark, interest }, { data: [] }],
    ['fundingHistory', {}, { data: [] }],
  ] as const)('%s, where %o is known', async (name, known, expected) => {
    const answer = JSON.parse(toJson(await askNew(name, known)));
    expect(contract[name].answer.parse(answer)).toMatchObject(expected);
  });
});
