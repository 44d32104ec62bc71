import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { marketClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { SeriesName } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { startCollecting } from '#src/service/collecting/collecting.ts';
import type { Market, SimulatedUpstream } from '#src/service/simulation/market.ts';
import { simulationStart, syntheticMarket } from '#src/service/simulation/synthetic.ts';
import {
  simulatedExchanges,
  simulatedMacro,
  simulatedOthers,
  simulatedVenueOf,
} from '#src/service/venues/simulated.ts';
import { loadVenue, loadVenues, simulatedVenue } from '#src/service/venues/venue.ts';
import { virtualClock } from '#test/support/virtual-clock.ts';

const begin = Date.UTC(2026, 0, 1);
const venues = await loadVenues();
const primary = simulatedVenueOf(await loadVenue(simulatedVenue));
const made = syntheticMarket({ seed: 7, symbols: 30 });
const calm: Market = { ...made, outages: () => [] };

const play = (market = calm, now = simulationStart) => {
  const source = { market, clock: { now: () => now }, signal: new AbortController().signal };
  return {
    ...simulatedExchanges(primary, source),
    others: simulatedOthers(venues, source),
    macro: simulatedMacro(source),
  };
};

/** The number of each series' rows, and their hash, with numbers of ten digits: sums differ beyond those between machines. */
const expected: Partial<Record<SeriesName, readonly [number, string]>> = {
  candles1h: [35118, '8b51d24bd475269c'],
  candles1d: [1462, '6f3729c90cfae4e0'],
  funding: [6585, '1c7bf05be9d71cb0'],
  openInterest: [18216, 'ca343ab3b0c1642b'],
  marks: [4992, 'c56e3b7f14505a01'],
  topRatio: [6072, 'c74d6696b69a0ba2'],
  globalRatio: [6072, '11875c6ef6ec5d38'],
  book: [24960, 'b97240fb63d5d527'],
  options: [6080, '19c0e20e7ca98dca'],
  observations: [36664, '754fbc839fe223fc'],
  venueMarks: [2886, '4f23ca09c40d8dd7'],
  venueOpenInterest: [2886, '543d10c849e025d3'],
  venueFunding: [119, 'ff7263cc1e595f44'],
};

it('after ten minutes at 240 ×, the archive of a seed has the same rows as ever', async () => {
  const { wall, until, counted } = virtualClock(begin);
  const clock = marketClock(wall, { market: simulationStart, wall: begin, speed: 240 });
  const archive = counted(await openArchive('file::memory:'));
  const symbols = ['BTCUSDT', 'ORDIUSDT'];
  const market = {
    ...made,
    instruments: made.instruments.filter(({ symbol }) => symbols.includes(symbol)),
  };
  const ending = new AbortController();
  const source = { market, clock, signal: ending.signal };
  const collecting = startCollecting({
    archive,
    clock,
    wall,
    symbols: symbols.length,
    exchanges: simulatedExchanges(primary, source),
    others: simulatedOthers(venues, source).except(simulatedVenue),
    macro: simulatedMacro(source),
    log: pino({ level: 'silent' }),
    random: () => 0.5,
    signal: ending.signal,
  });
  let isReady = false;
  void collecting.ready.then(() => {
    isReady = true;
  });
  await until(() => isReady, begin + hour);
  const end = begin + 10 * minute;
  let isOver = false;
  void wall.sleep(end - wall.now()).then(() => {
    isOver = true;
  });
  await until(() => isOver, end);
  const now = clock.now();

  const rowsOf = async (series: SeriesName) =>
    (await archive.readAll(series, { from: 0, to: now }))
      .sort((a, b) => a.time - b.time || (a.symbol < b.symbol ? -1 : 1))
      .map((row) =>
        JSON.stringify(
          Object.entries(row)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([, value]) => (typeof value === 'number' ? Number(value.toPrecision(10)) : value)),
        ),
      );
  const stored = Object.keys(expected).map(async (series) => {
    const rows = await rowsOf(series as SeriesName);
    return [series, [rows.length, createHash('sha256').update(rows.join('\n')).digest('hex').slice(0, 16)]];
  });
  expect(Object.fromEntries(await Promise.all(stored))).toEqual(expected);
  const liquidations = await archive.liquidations({ after: simulationStart - 3 * day, to: now, limit: 1e6 });
  expect(liquidations.map(({ symbol, time }) => `${time} ${symbol}`).sort()).toEqual(
    made
      .liquidations(simulationStart - 3 * day + 1, now)
      .filter(({ symbol }) => symbols.includes(symbol))
      .map(({ symbol, time }) => `${time} ${symbol}`)
      .sort(),
  );
  expect((await archive.feeds()).filter(({ problem }) => problem !== null)).toEqual([]);
  ending.abort();
  await Promise.all([collecting.stop(), until(() => true, end)]);
  await archive.close();
});

describe('nothing is answered from beyond the present', () => {
  const page = { from: simulationStart - hour, to: simulationStart + 30 * day };
  const { markets, deribit, macro } = play();
  it.each<[string, () => Promise<readonly { readonly time: number }[]> | undefined]>([
    ['candles', () => markets.candles?.('BTCUSDT', { interval: '1h', page })],
    ['settlements', () => markets.funding?.('BTCUSDT', { ...page, from: page.from - day })],
    ['closes of the index', () => markets.closes?.('index', { symbol: 'BTCUSDT', page })],
    ['open interest', () => markets.pastOpenInterest?.('BTCUSDT', page)],
    ['ratios', () => markets.ratios?.('top', { symbol: 'BTCUSDT', ...page })],
    ['books', () => markets.pastBook?.('BTCUSDT', page)],
    ['liquidations', () => markets.pastLiquidations?.(page)],
    ['options', () => deribit.past?.('BTC', page)],
    ['macro', () => macro.read('vix', page)],
  ])('%s', async (_, ask) => {
    const times = ((await ask()) ?? []).map(({ time }) => time);
    expect(times.length).toBeGreaterThan(0);
    expect(Math.max(...times)).toBeLessThanOrEqual(simulationStart);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('a played outage fails what it names and nothing else', () => {
  const page = { from: simulationStart - hour, to: simulationStart };
  it.each<[SimulatedUpstream, readonly string[]]>([
    ['binance', ['candles', 'openInterest', 'ratios']],
    ['openInterest', ['openInterest', 'ratios']],
    ['liquidations', ['liquidations']],
    ['deribit', ['options']],
  ])('%s', async (upstream, failing) => {
    const outage = { upstream, from: simulationStart - minute, to: simulationStart + minute };
    const { markets, deribit, others, fearGreed } = play({ ...made, outages: () => [outage] });
    const asked = {
      candles: markets.candles?.('BTCUSDT', { interval: '1h', page }),
      openInterest: markets.pastOpenInterest?.('BTCUSDT', page),
      ratios: markets.ratios?.('top', { symbol: 'BTCUSDT', ...page }),
      liquidations: markets.pastLiquidations?.(page),
      books: markets.pastBook?.('BTCUSDT', page),
      options: deribit.chain('BTC'),
      fearGreed: fearGreed.index(3),
      others: Promise.all(others.except(simulatedVenue).map(({ client }) => client.serverTime())),
    };
    const results = await Promise.allSettled(Object.values(asked));
    const failed = Object.keys(asked).filter((_, index) => results[index]?.status === 'rejected');
    expect(failed).toEqual(failing);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ name: 'ApiError', reason: 'server_error' });
  });
});

it('every venue has a method for each role that is requested, and knows only its own markets', async () => {
  for (const { venue, client } of [{ venue: primary, client: play().markets }, ...play().others.except('')]) {
    const { close: _, serverTime: __, listings: ___, ...methods } = client;
    const streamed = ['quotes', 'ticks', 'liquidations', 'contractSizes'];
    const asked = Object.keys(venue.roles).filter((role) => !streamed.includes(role));
    expect([venue.name, ...Object.keys(methods).sort()]).toEqual([venue.name, ...asked.sort()]);
    const page = { from: simulationStart - hour, to: simulationStart };
    const unknown = client.candles?.('NOSUCHUSDT', { interval: '1h', page });
    await expect(unknown).rejects.toMatchObject({ reason: 'invalid_request' });
    expect(await client.marks?.(['NOSUCHUSDT'], simulationStart)).toEqual([]);
    const symbols = (await client.listings()).map(({ symbol }) => symbol);
    expect([venue.name, symbols.includes('牛来USDT')]).toEqual([venue.name, venue.name !== 'hyperliquid']);
  }
});

it('each venue has running rates and open interest of its own, and Hyperliquid settles every hour', async () => {
  const others = play().others.except(simulatedVenue);
  const told = await Promise.all(
    others.map(async ({ client }) => {
      const [[mark] = [], [interval] = [], [held] = []] = await Promise.all([
        client.marks?.(['BTCUSDT'], simulationStart),
        client.intervals?.(['BTCUSDT']),
        client.openInterest?.(['BTCUSDT'], simulationStart),
      ]);
      return { rate: (mark?.estFunding ?? 0) / (interval?.hours ?? 1), held, hours: interval?.hours };
    }),
  );
  expect(others.map(({ venue }) => venue.name).sort()).toEqual(['bybit', 'hyperliquid', 'okx']);
  expect(new Set(told.map(({ rate }) => rate.toFixed(9))).size).toBe(others.length);
  expect(new Set(told.map(({ held }) => held?.contracts)).size).toBe(others.length);
  expect(told.map(({ hours }) => hours).sort()).toEqual([1, 8, 8]);
});

it('the running candle covers the hour so far, and a recorded market ends with its recording', async () => {
  const from = Math.floor(simulationStart / hour) * hour;
  const page = { from, to: from };
  const candle = async (now: number, latest = Number.POSITIVE_INFINITY) =>
    (await play({ ...calm, latest }, now).markets.candles?.('BTCUSDT', { interval: '1h', page }))?.[0];
  const [running, whole] = [await candle(simulationStart), await candle(from + hour)];
  expect(running).toMatchObject({ open: whole?.open, close: made.price('BTCUSDT', simulationStart) });
  expect(running?.volume).toBeLessThan(whole?.volume ?? 0);
  expect(await play({ ...calm, latest: from }, from + day).markets.serverTime()).toBe(from);
});

it('what is given up is not answered', async () => {
  const ending = new AbortController();
  const { markets } = simulatedExchanges(primary, {
    market: calm,
    clock: { now: () => begin },
    signal: ending.signal,
  });
  const asked = markets.serverTime();
  ending.abort();
  await expect(asked).rejects.toThrow('aborted');
});
