import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type EndpointAnswer } from '#src/contract/index.ts';
import type { WallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Archive, DataCheck } from '#src/service/archive/archive.ts';
import { missOf } from '#src/service/checking/missed.ts';
import type { AskOwn } from '#src/service/checking/published.ts';
import { createChecker } from '#src/service/checking/round.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { handlers } from '#src/service/handlers/index.ts';
import { parseQuery } from '#src/service/http/query.ts';
import { loadVenue, type Venue, type VenueClient } from '#src/service/venues/venue.ts';
import { contextAt, filledArchive, now } from '../fixture.ts';

const signal = new AbortController().signal;
const log = pino({ level: 'silent' });
const never: WallClock = { now: () => 0, sleep: () => new Promise(() => {}) };

let archive: Archive;
let venue: Venue;
beforeAll(async () => {
  [archive, venue] = await Promise.all([filledArchive(), loadVenue('binance')]);
  const at = Date.parse('2024-03-01T12:05:00.000Z');
  await archive.put('marks.taken', { [at]: at + 2_000 });
});
afterAll(() => archive.close());

const ask: AskOwn = async (name, query) =>
  contract[name].answer.parse(
    await answerWith(handlers[name], { query: parseQuery(name, query), context: await contextAt(archive) }),
  ) as EndpointAnswer<typeof name>;

/** An exchange whose values equal the archive's. */
const honest = (): VenueClient => ({
  close: async () => {},
  serverTime: async () => now,
  listings: async () => [],
  candles: (symbol, { page }) => archive.read('candles1h', { symbol, window: page }),
  funding: (of, page) => archive.read('funding', { symbol: String(of), window: page }),
  closes: async (_, { symbol, page }) => {
    const window = { from: page.from + 5 * minute, to: page.to + 5 * minute };
    const rows = await archive.read('marks', { symbol, window });
    return rows.map(({ time, markPrice }) => ({ time: time - 5 * minute, close: markPrice }));
  },
  pastOpenInterest: (symbol, page) => archive.read('openInterest', { symbol, window: page }),
  marks: ([symbol = '']) => archive.last('marks', { symbol, count: 1, to: now }),
});

const check = async (
  client: VenueClient,
  {
    wall = never,
    symbols = ['SOLUSDT'],
    at = now,
    own = ask,
    role = 'PRIMARY',
    kept = archive,
  }: {
    wall?: WallClock;
    symbols?: string[];
    at?: number;
    own?: AskOwn;
    role?: DataCheck['role'];
    kept?: Archive;
  } = {},
) => {
  const rows = await createChecker({ wall, log, signal }).check({
    time: at,
    symbols,
    checkedVenue: { venue, title: venue.title, client },
    role,
    ask: own,
    archive: kept,
    now: () => at,
    transit: 0,
  });
  return Object.fromEntries(rows.map((row) => [row.value, row])) as Record<DataCheck['value'], DataCheck>;
};

it('of an error 200 characters are kept', () => {
  expect(missOf(new Error('x'.repeat(300)))).toEqual({ reason: 'UNREACHABLE', detail: 'x'.repeat(200) });
});

describe('one round', () => {
  it('an exchange with equal values: every value is within its tolerance, and both values are stored', async () => {
    const rows = await check(honest());
    expect(Object.values(rows).map(({ value, verdict }) => [value, verdict])).toEqual([
      ['mark', 'WITHIN'],
      ['funding', 'WITHIN'],
      ['running_funding', 'WITHIN'],
      ['open_interest', 'WITHIN'],
      ['volume_24h', 'WITHIN'],
      ['liquidations', 'WITHIN'],
    ]);
    expect(rows.funding).toMatchObject({ published: 0.0025, asked: 0.0025, venue: 'Binance USD-M' });
    expect(rows.running_funding).toMatchObject({ published: 0.00012, asked: 0.00012, askedAt: now });
    expect(rows.liquidations).toMatchObject({ venue: 'rows received' });
    expect(rows.liquidations.published).toBeGreaterThan(0);
    expect(rows.volume_24h.publishedAt).toBe(Date.parse('2024-03-01T12:00:00.000Z'));
  });

  it('a round makes five requests per symbol, within the budget of history requests', async () => {
    const asked: string[] = [];
    const client = new Proxy(honest(), {
      get: (target, name) => {
        const method = Reflect.get(target, name) as ((...given: unknown[]) => unknown) | undefined;
        if (method === undefined) return undefined;
        return (...given: unknown[]) => {
          asked.push(`${String(name)} ${JSON.stringify(given).includes('urgent')}`);
          return method(...given);
        };
      },
    });
    await check(client, { symbols: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'] });
    const each = ['candles', 'closes', 'funding', 'marks', 'pastOpenInterest'].map((name) => `${name} false`);
    expect(asked.toSorted()).toEqual(each.flatMap((question) => Array(3).fill(question)));
  });

  type Numbers = Readonly<Record<string, number>>;
  it.each<[value: string, asked: keyof VenueClient, twist: (row: Numbers) => Numbers]>([
    ['mark', 'closes', ({ close = 0 }) => ({ close: close * 1.05 })],
    ['funding', 'funding', ({ rate = 0 }) => ({ rate: rate + 1e-7 })],
    ['running_funding', 'marks', ({ estFunding = 0 }) => ({ estFunding: -estFunding })],
    ['open_interest', 'pastOpenInterest', ({ contracts = 0 }) => ({ contracts: contracts * 1.0001 })],
    ['volume_24h', 'candles', ({ quoteVolume = 0 }) => ({ quoteVolume: quoteVolume * 1.01 })],
  ])(
    'a different %s at the exchange: only that value is beyond its tolerance',
    async (value, name, twist) => {
      const client = honest();
      const told = client[name] as unknown as (...given: unknown[]) => Promise<readonly Numbers[]>;
      const twisted = async (...given: unknown[]) =>
        (await told(...given)).map((row) => ({ ...row, ...twist(row) }));
      const rows = await check({ ...client, [name]: twisted });
      const beyond = Object.values(rows).filter(({ verdict }) => verdict !== 'WITHIN');
      expect(beyond.map((row) => [row.value, row.verdict])).toEqual([[value, 'BEYOND']]);
    },
  );

  it('a mark may have moved since it was taken, but not for all five minutes of its time step', async () => {
    const at = Date.parse('2024-03-01T12:05:00.000Z');
    const allowed = async (taken: number | undefined) => {
      const get = async () => (taken === undefined ? undefined : { [at]: taken });
      return (await check(honest(), { kept: { ...archive, get } })).mark.allowed ?? Number.NaN;
    };
    const closed = await allowed(undefined);
    expect(closed).toBeCloseTo(0.0005, 10);
    const [soon, late] = [await allowed(at + 3_000), await allowed(at + 300_000)];
    expect(soon).toBeGreaterThan(closed);
    expect(late - closed).toBeCloseTo(10 * (soon - closed), 10);
  });

  it('a settlement that only the exchange has, for long: ours is late', async () => {
    const client = honest();
    const funding: NonNullable<VenueClient['funding']> = async (of, page) => [
      ...((await client.funding?.(of, page)) ?? []),
      { symbol: String(of), time: now - hour, rate: 0.0025 },
    ];
    expect((await check({ ...client, funding })).funding).toMatchObject({ verdict: 'LATE' });
  });

  it('a value without a role at the venue cannot be checked, and only that value', async () => {
    const { pastOpenInterest: _, ...client } = honest();
    const rows = await check(client);
    expect(rows.open_interest).toMatchObject({
      verdict: 'MISSED',
      reason: 'CANNOT_BE_ASKED',
      detail: 'Binance USD-M cannot be asked for open interest',
      published: null,
      difference: null,
    });
    expect(rows.mark.verdict).toBe('WITHIN');
  });

  it.each([
    ['refused', new ApiError('binance', 'rate_limited', 'HTTP 429: too many requests'), 'REFUSED'],
    ['down', new ApiError('binance', 'server_error', 'HTTP 503'), 'UNREACHABLE'],
    ['no such symbol there', new ApiError('binance', 'invalid_request', 'HTTP 400'), 'NO_SUCH_ROW'],
    ['a bug', new TypeError('undefined is not a function'), 'UNREACHABLE'],
  ])('a failing exchange is a miss with a reason: %s', async (_, error, reason) => {
    const fails = () => Promise.reject(error);
    const client: VenueClient = {
      ...honest(),
      ...{ candles: fails, funding: fails, closes: fails, pastOpenInterest: fails, marks: fails },
    };
    const { liquidations, ...rows } = await check(client);
    for (const row of Object.values(rows)) expect(row).toMatchObject({ verdict: 'MISSED', reason });
    expect(liquidations.verdict).toBe('WITHIN');
  });

  it('a value that is not published is a miss as well', async () => {
    const own: AskOwn = async (name, query) => {
      if (name === 'oi') throw new ApiError('/oi', 'not_offered', 'Hyperliquid does not publish it');
      return ask(name, query);
    };
    expect((await check(honest(), { own })).open_interest).toMatchObject({ reason: 'CANNOT_BE_ASKED' });
    const unknown = await check(honest(), { symbols: ['NEWUSDT'] });
    for (const row of Object.values(unknown)) expect(row).toMatchObject({ reason: 'NOT_PUBLISHED' });
  });

  it('an exchange that does not respond is given up, and not asked again until it has responded', async () => {
    const answer = Promise.withResolvers<never[]>();
    let asked = 0;
    const closes = () => {
      asked += 1;
      return answer.promise;
    };
    const checker = createChecker({ wall: { now: () => 0, sleep: async () => {} }, log, signal });
    const round = {
      time: now,
      symbols: ['SOLUSDT'],
      checkedVenue: { venue, title: venue.title, client: { ...honest(), closes } },
      role: 'PRIMARY',
      ask: async () => ({ data: [{ markPrice: 1, timestamp: new Date(now).toISOString() }] }) as never,
      archive,
      now: () => now,
      transit: 0,
    } as const;
    const marks = async () => (await checker.check(round)).find(({ value }) => value === 'mark');
    expect(await marks()).toMatchObject({ reason: 'TOO_SLOW' });
    const before = asked;
    expect(await marks()).toMatchObject({ reason: 'TOO_SLOW', detail: expect.stringContaining('before') });
    expect(asked).toBe(before);
    answer.resolve([]);
  });
});

describe('a second venue', () => {
  /** Another market: slightly dearer, half as large, with hourly funding. */
  const other = (dearer = 1.004): VenueClient => ({
    close: async () => {},
    serverTime: async () => now,
    listings: async () => [{ symbol: 'SOLUSDT', listed: 0, volume: 1_000_000 }],
    marks: async ([symbol = ''], time) => {
      const [row] = await archive.last('marks', { symbol, count: 1, to: now });
      const markPrice = (row?.markPrice ?? 0) * dearer;
      return [{ symbol, time, markPrice, indexPrice: markPrice, estFunding: 0.00002 }];
    },
    intervals: async (symbols) => symbols.map((symbol) => ({ symbol, hours: 1 })),
    openInterest: async ([symbol = ''], time) => [{ symbol, time, contracts: 40_000, valueUsd: 1 }],
    funding: async (of, { from, to }) =>
      Array.from({ length: 24 }, (_, age) => ({
        symbol: String(of),
        time: to - age * hour,
        rate: 0.0001,
      })).filter(({ time }) => time >= from),
  });

  it('its price is judged; its funding over our interval, open interest and volume are only shown', async () => {
    const rows = await check(other(), { role: 'SECOND' });
    expect(rows.mark).toMatchObject({ verdict: 'WITHIN', role: 'SECOND' });
    const published = 0.0025;
    expect(rows.funding).toMatchObject({ verdict: 'SHOWN', published, asked: expect.closeTo(0.0008, 10) });
    expect(rows.running_funding).toMatchObject({ verdict: 'SHOWN', published: 0.00012, asked: 0.00016 });
    expect(rows.open_interest).toMatchObject({ verdict: 'SHOWN', asked: 40_000, allowed: null });
    expect(rows.volume_24h).toMatchObject({ verdict: 'SHOWN', asked: 1_000_000 });
    expect(rows.liquidations).toMatchObject({ verdict: 'MISSED', reason: 'CANNOT_BE_ASKED' });
  });

  it('an implausible price is beyond tolerance, and what it lacks cannot be checked', async () => {
    const { openInterest: _, ...client } = other(1.08);
    const rows = await check(client, { role: 'SECOND' });
    expect(rows.mark.verdict).toBe('BEYOND');
    expect(rows.open_interest).toMatchObject({ reason: 'CANNOT_BE_ASKED' });
  });
});
