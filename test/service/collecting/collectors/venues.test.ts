import { afterEach, beforeEach, expect, it } from 'vitest';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import collector, { otherKinds, venueProblems } from '#src/service/collecting/collectors/venues.ts';
import type { OpenVenue } from '#src/service/venues/others.ts';
import { defineVenue, type VenueClient } from '#src/service/venues/venue.ts';
import { type FakeClock, fakeClock } from '#test/support/clock.ts';

const begin = Date.UTC(2026, 0, 15, 12, 1);
const firstTick = Date.UTC(2026, 0, 15, 12);

let archive: Archive;
let wall: FakeClock;
let ending: AbortController;
let reports: unknown[];
beforeEach(async () => {
  archive = await openArchive('file::memory:');
  [wall, ending, reports] = [fakeClock(begin), new AbortController(), []];
});
afterEach(async () => {
  ending.abort();
  await wall.advance(0);
  await archive.close();
});

const symbols = ['BTCUSDT', 'ETHUSDT'];
const marks: VenueClient['marks'] = async (of, time) =>
  of.map((symbol) => ({ symbol, time, markPrice: 2, indexPrice: 1, estFunding: 0.001 }));
const openInterest: VenueClient['openInterest'] = async (of, time) =>
  of.map((symbol) => ({ symbol, time, contracts: 3, valueUsd: 6 }));
const intervals: VenueClient['intervals'] = async () => [{ symbol: 'BTCUSDT', hours: 4 }];

/** A venue that offers what its client has a method for. */
function played(
  name: string,
  client: Partial<VenueClient>,
  { together = true, every = 8 * hour } = {},
): OpenVenue {
  const whole = {
    close: async () => {},
    serverTime: async () => wall.now(),
    listings: async () => [],
    ...client,
  };
  const roles = Object.fromEntries(Object.keys(client).map((role) => [role, { rows: 100, together, every }]));
  const urls = { rest: 'http://127.0.0.1:1', stream: 'ws://127.0.0.1:1' };
  return {
    venue: defineVenue({ name, title: name, urls, pools: [], paths: [], roles, open: () => whole }),
    client: whole,
  };
}

async function listen(...others: readonly OpenVenue[]) {
  const context = {
    others,
    archive,
    clock: realTime(wall),
    wall,
    random: () => 0.5,
    signal: ending.signal,
    symbols: () => symbols,
    write: archive.write,
    report: (state: unknown) => void reports.push(state),
  } as unknown as CollectorContext;
  void collector.listen?.(context);
  await wall.advance(0);
}
const kept = async (series: 'venueMarks' | 'venueOpenInterest' | 'venueFunding') =>
  (await archive.readAll(series, { from: 0, to: begin + 3 * hour })).map(
    ({ symbol, time }) => `${symbol} ${(time - firstTick) / minute}`,
  );

it('requests the tracked symbols from each venue every five minutes, and stores them per venue', async () => {
  await listen(played('okx', { marks, openInterest, intervals }), played('bybit', { marks }));
  await wall.advance(5 * minute);
  expect(await kept('venueMarks')).toEqual(
    ['bybit', 'okx'].flatMap((venue) =>
      symbols.flatMap((symbol) => [0, 5].map((at) => `${venue}/${symbol} ${at}`)),
    ),
  );
  expect(await kept('venueOpenInterest')).toHaveLength(4);
  const [btc, eth] = (await archive.latest('venueMarks', begin)).filter(({ symbol }) =>
    symbol.startsWith('okx/'),
  );
  expect([btc?.fundingHours, eth?.fundingHours]).toEqual([4, 0]);
  expect(reports).not.toContainEqual(expect.objectContaining({ problem: expect.anything() }));
});

it('rows that were read when they were due stay as they are, although the process is started again', async () => {
  const held = 10;
  await archive.write('venueMarks', [
    {
      symbol: 'okx/BTCUSDT',
      time: firstTick,
      markPrice: held,
      indexPrice: held,
      estFunding: 0,
      fundingHours: 8,
    },
  ]);
  await archive.write('venueOpenInterest', [
    { symbol: 'okx/BTCUSDT', time: firstTick, contracts: held, valueUsd: held },
  ]);
  await listen(played('okx', { marks, openInterest, intervals }));
  await wall.advance(5 * minute);
  const window = { from: firstTick, to: firstTick + 5 * minute };
  const prices = (await archive.readAll('venueMarks', window)).map(({ markPrice }) => markPrice);
  const contracts = (await archive.readAll('venueOpenInterest', window)).map((row) => row.contracts);
  // Of both markets, when the process was started and five minutes later.
  expect([prices, contracts]).toEqual([
    [held, 2, 2, 2],
    [held, 3, 3, 3],
  ]);
});

it('a failing venue affects no other, rests as long as it asks, and its problem is shown until it responds', async () => {
  let asked = 0;
  const refused = async () => {
    asked += 1;
    throw new ApiError('okx /tickers', 'unauthorized', 'HTTP 451: not served here', {
      retryAfter: 14 * minute,
    });
  };
  const okx = played('okx', { marks: refused });
  await listen(okx, played('bybit', { marks }));
  await wall.advance(10 * minute);
  expect(await venueProblems(archive)).toEqual({ okx: expect.stringContaining('HTTP 451') });
  expect(await kept('venueMarks')).toHaveLength(2 * 3);
  expect(asked).toBe(1);
  expect(reports.at(-1)).toEqual({ at: expect.any(Number) });

  Object.assign(okx.client, { marks });
  await wall.advance(5 * minute);
  expect(await venueProblems(archive)).toEqual({});
  expect((await kept('venueMarks')).filter((row) => row.startsWith('okx/'))).toHaveLength(2);
});

it('the feed fails if no venue responds', async () => {
  const hangs = () => new Promise<never>(() => {});
  const dies = async () => {
    throw new ApiError('okx /tickers', 'server_error', 'HTTP 500');
  };
  await listen(played('okx', { marks: dies }), played('bybit', { openInterest: dies }));
  expect(reports.at(-1)).toEqual({ problem: expect.stringMatching(/okx.*; .*okx|HTTP 500.*HTTP 500/) });
  ending.abort();
  ending = new AbortController();
  await listen(played('okx', { marks: hangs }), played('bybit', { marks }));
  await wall.advance(5 * minute);
  expect((await kept('venueMarks')).every((row) => row.startsWith('bybit/'))).toBe(true);
});

it('open interest requested symbol by symbol omits symbols that the venue does not trade', async () => {
  const pastOpenInterest: VenueClient['pastOpenInterest'] = async (symbol, { from, to }) => {
    if (symbol === 'ETHUSDT') throw new ApiError('binance', 'invalid_request', 'HTTP 400');
    return [from, to].map((time) => ({ symbol, time, contracts: 1, valueUsd: 1 }));
  };
  await listen(played('binance', { pastOpenInterest }));
  expect(await kept('venueOpenInterest')).toEqual(['binance/BTCUSDT 0']);
  expect(await venueProblems(archive)).toEqual({});
});

/** Settles every hour, and publishes the settlement two minutes later. */
const settling =
  (pages: string[]): NonNullable<VenueClient['funding']> =>
  async (of, { from, to }) => {
    pages.push(`${of} ${(from - firstTick) / minute} ${(to - firstTick) / minute}`);
    const [first, last] = [Math.ceil(from / hour), Math.floor(Math.min(to, wall.now() - 2 * minute) / hour)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => (first + n) * hour).flatMap(
      (time) => [of].flat().map((symbol) => ({ symbol, time, rate: 0.0001 })),
    );
  };

it('stores each venue’s settlements, requested again a while after the last request', async () => {
  const pages: string[] = [];
  const funding = settling(pages);
  await listen(
    played('okx', {
      marks,
      funding: async (of, page) => [
        ...(await funding(of, page)),
        { symbol: 'XUSDT', time: page.to, rate: 1 },
      ],
    }),
  );
  expect(pages).toEqual(['BTCUSDT,ETHUSDT -540 0']);
  await wall.advance(65 * minute);
  expect(pages.slice(1, 3)).toEqual(['BTCUSDT,ETHUSDT -10 5', 'BTCUSDT,ETHUSDT -5 10']);
  expect(await kept('venueFunding')).toEqual(
    symbols.flatMap((symbol) =>
      [-9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1].map((at) => `okx/${symbol} ${at * 60}`),
    ),
  );
  expect((await archive.latest('venueFunding', begin + hour)).every(({ rate }) => rate === 0.0001)).toBe(
    true,
  );
});

it('a venue that responds per symbol is asked once per interval, after publication', async () => {
  const pages: string[] = [];
  await listen(played('hyperliquid', { marks, funding: settling(pages) }, { together: false, every: hour }));
  expect(pages).toEqual(['BTCUSDT -120 0', 'ETHUSDT -120 0']);
  await wall.advance(130 * minute);
  expect(pages.slice(2)).toEqual([
    ...['BTCUSDT -10 5', 'ETHUSDT -10 5'],
    ...['BTCUSDT 50 65', 'ETHUSDT 50 65'],
    ...['BTCUSDT 110 125', 'ETHUSDT 110 125'],
  ]);
  expect(await kept('venueFunding')).toEqual(
    symbols.flatMap((symbol) => [-120, -60, 0, 60, 120].map((at) => `hyperliquid/${symbol} ${at}`)),
  );
});

it('refused settlements affect no marks, and are requested again from where they ended', async () => {
  const pages: string[] = [];
  let down = false;
  const funding: VenueClient['funding'] = async (of, page) => {
    if (down) throw new ApiError('okx /funding-rate', 'server_error', 'HTTP 500');
    return settling(pages)(of, page);
  };
  await listen(played('okx', { marks, funding }));
  down = true;
  await wall.advance(15 * minute);
  expect(await venueProblems(archive)).toEqual({ okx: expect.stringContaining('HTTP 500') });
  expect(await kept('venueMarks')).toHaveLength(2 * 4);
  down = false;
  // The round is repeated when its pause ends, and the next one follows at its time.
  await wall.advance(5 * minute);
  expect(pages.slice(-2)).toEqual(['BTCUSDT,ETHUSDT -10 15', 'BTCUSDT,ETHUSDT 5 20']);
  expect(await venueProblems(archive)).toEqual({});
});

it('is a feed only if another venue offers something of use', () => {
  const feeds = (...others: readonly OpenVenue[]) => collector.feedsOn?.({ marks: {} }, others);
  expect(feeds()).toBe(false);
  expect(feeds(played('okx', { candles: async () => [] }))).toBe(false);
  expect(feeds(played('okx', { candles: async () => [] }), played('bybit', { openInterest }))).toBe(true);
});

it('a name that is no coin at a venue is not read there, by the venue’s own list, and is kept as such', async () => {
  const coin = { symbol: 'BTCUSDT', listed: 0, volume: 1 };
  let listings = async () => [coin];
  await listen(played('bybit', { marks, openInterest, listings: () => listings() }));
  expect(await kept('venueMarks')).toEqual(['bybit/BTCUSDT 0']);
  expect(await kept('venueOpenInterest')).toEqual(['bybit/BTCUSDT 0']);
  expect(await otherKinds(archive)).toEqual({ bybit: ['ETHUSDT'] });
  listings = async () => {
    throw new ApiError('bybit', 'unreachable', 'no answer');
  };
  await wall.advance(20 * minute);
  expect(new Set((await kept('venueMarks')).map((row) => row.split(' ')[0]))).toEqual(
    new Set(['bybit/BTCUSDT']),
  );
  listings = async () => [coin, { ...coin, symbol: 'ETHUSDT' }];
  await wall.advance(10 * minute);
  expect(await otherKinds(archive)).toEqual({ bybit: [] });
});
