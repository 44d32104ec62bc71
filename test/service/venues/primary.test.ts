import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { type Service, type ServiceOptions, startService } from '#src/service/run/service.ts';
import type { MarketChoice } from '#src/service/run/upstream.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

let folder: string;
let played: SimulatedExchanges;
let fault: (path: string) => Fault | undefined;
let asked: string[];
let logged: { msg: string; venue?: string; problem?: string }[];
let service: Service | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-venues-'));
  [asked, logged, fault] = [[], [], () => undefined];
  played = await startExchanges({
    market,
    clock: realTime(wallClock),
    fault(path) {
      asked.push(path);
      return fault(path);
    },
  });
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  await played.close();
  await rm(folder, { recursive: true });
});

const begin = async (options: Partial<ServiceOptions> & { readonly venue?: string } = {}) => {
  const { venue, ...more } = options;
  const { urls } = played;
  const live: MarketChoice = {
    kind: 'live',
    urls: { ...urls, fred: urls.deribit },
    ...(venue !== undefined && { venue }),
  };
  service = await startService({
    market: live,
    archiveUrl: `file:${join(folder, 'archive.db')}`,
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    symbols: 2,
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    ...more,
  });
  return service;
};
const start = async (options: Parameters<typeof begin>[0] = {}) => {
  const started = await begin(options);
  await started.ready;
  return started;
};
const ask = async (path: string) => {
  const response = await fetch(`${service?.url}${path}`);
  return { status: response.status, body: (await response.json()) as never };
};
const venueOf = (path: string): string => /^\/(bybit|hyperliquid|okx)\//.exec(path)?.[1] ?? 'binance';
const asksBinance = (path: string) => path.startsWith('/fapi/') || path.startsWith('/futures/');
/** Lets these venues refuse from the given request on. */
const refuse = (venues: readonly string[], { status, from }: { status: number; from: number }) => {
  const counts = new Map<string, number>();
  fault = (path) => {
    const venue = venueOf(path);
    if (!venues.includes(venue) || (venue === 'binance' && !asksBinance(path))) return undefined;
    counts.set(venue, (counts.get(venue) ?? 0) + 1);
    return (counts.get(venue) ?? 0) >= from ? { kind: 'answer', status, body: '<html>' } : undefined;
  };
};

interface Next {
  readonly name: string;
  readonly title: string;
  /** What the venue does not publish, by the response to each question. */
  readonly lacks: Readonly<Record<string, string>>;
  readonly has: readonly string[];
  readonly checks: readonly string[];
}
const checks = ['candles', 'funding_history', 'oi_history'];
const okx: Next = {
  name: 'okx',
  title: 'OKX',
  lacks: { '/volume/cvd': 'OKX does not publish how much takers bought' },
  has: ['/ls-ratio/history', '/ls-ratio/history?type=global_account', '/liquidations', '/spread'],
  checks: [...checks, 'liquidation_events'],
};
const bybit: Next = {
  name: 'bybit',
  title: 'Bybit',
  lacks: {
    '/volume/cvd': 'Bybit does not publish how much takers bought',
    '/ls-ratio/history': 'Bybit does not publish long/short ratios of top traders',
  },
  has: ['/ls-ratio/history?type=global_account', '/liquidations', '/spread'],
  checks: [...checks, 'liquidation_events'],
};
const hyperliquid: Next = {
  name: 'hyperliquid',
  title: 'Hyperliquid',
  lacks: { '/liquidations': 'Hyperliquid does not publish liquidations' },
  has: ['/spread'],
  checks,
};

/** The service answers what the venue publishes, says what it does not publish, and is healthy without that. */
async function expectAnswers({ has, lacks, checks: expected }: Next) {
  expect((await ask('/funding/current')).body).toMatchObject({ data: [{}, {}] });
  expect((await ask('/regime')).status).toBe(200);
  for (const question of has) expect([question, (await ask(question)).status]).toEqual([question, 200]);
  for (const [question, what] of Object.entries(lacks))
    expect(await ask(question)).toEqual({ status: 501, body: { error: expect.stringContaining(what) } });
  const { status, checks: made } = (await ask('/data/quality')).body as {
    status: string;
    checks: Record<string, { fresh: boolean }>;
  };
  expect([status, Object.keys(made)]).toEqual(['HEALTHY', expected]);
}

describe('a venue that does not serve this place is replaced by the next that does, which says what it lacks', () => {
  it.each<[number, string, number, readonly string[], Next]>([
    [451, 'first', 1, ['binance'], okx],
    [403, 'fortieth', 40, ['binance', 'okx'], bybit],
  ])('HTTP %i from the %s request on', async (status, _, from, refusing, next) => {
    refuse(refusing, { status, from });
    await start();
    const { name, title } = next;
    expect((await ask('/meta')).body).toMatchObject({ source: 'live', venue: { name, title } });
    expect(logged.findLast(({ venue }) => venue !== undefined)).toMatchObject({
      venue: name,
      msg: `market data comes from ${title}`,
    });
    expect(logged.map(({ msg }) => msg)).toContainEqual(
      from === 1
        ? 'Binance USD-M cannot be collected from'
        : 'Binance USD-M refuses this country or network: looking for another venue',
    );
    await expectAnswers(next);

    await service?.close();
    asked = [];
    await start();
    expect((await ask('/meta')).body).toMatchObject({ venue: { name } });
    expect(asked.filter(asksBinance)).toEqual([]);
  });

  it('a venue that only limits its requests is not replaced', async () => {
    refuse(['binance', 'okx'], { status: 451, from: 1 });
    const refused = fault;
    let answered = 0;
    fault = (path) => {
      if (venueOf(path) !== 'bybit') return refused(path);
      answered += 1;
      return answered < 40
        ? undefined
        : { kind: 'answer', status: 403, body: '{"retMsg":"access too frequent"}' };
    };
    await begin();
    const limited = () => logged.some(({ problem }) => problem?.includes('access too frequent'));
    await vi.waitUntil(limited, { timeout: patience });
    expect(logged.filter(({ msg }) => msg.includes('looking for another venue'))).toEqual([]);
    expect((await ask('/meta')).body).toMatchObject({ venue: { name: 'bybit' } });
  });

  it('a venue that was chosen explicitly is not replaced', async () => {
    await start({ venue: 'hyperliquid', others: [] });
    expect((await ask('/meta')).body).toMatchObject({ venue: { name: 'hyperliquid' } });
    await expectAnswers(hyperliquid);
    expect(asked.filter(asksBinance)).toEqual([]);
    await expect(start({ venue: 'mtgox', archiveUrl: 'file::memory:' })).rejects.toThrow(
      /no venue "mtgox"; give one of auto, binance, okx, bybit, hyperliquid/,
    );
  });
});

it('the other venues are collected too: one that refuses is reported, and only its figures are missing', async () => {
  refuse(['hyperliquid'], { status: 451, from: 1 });
  await start({ others: ['bybit', 'hyperliquid'] });
  type Told = { data: { venue: string; answers: boolean; problem?: string }[] };
  const told = await vi.waitUntil(
    async () => {
      const { data } = (await ask('/venues')).body as Told;
      return data.every(({ answers, problem }) => answers || problem !== undefined) && data;
    },
    { timeout: patience, interval: 250 },
  );
  expect(told).toMatchObject([
    { venue: 'binance', answers: true },
    { venue: 'bybit', answers: true },
    { venue: 'hyperliquid', answers: false, problem: expect.stringContaining('does not serve this country') },
  ]);
  const gaps = (await ask('/funding/dispersion')).body as { data: { legs: { venue: string }[] }[] };
  expect(gaps.data).toHaveLength(2);
  for (const { legs } of gaps.data)
    expect(legs.map(({ venue }) => venue).sort()).toEqual(['binance', 'bybit']);
  expect((await ask('/oi/aggregate?symbol=BTCUSDT')).body).toMatchObject({ data: [{ legs: [{}, {}] }] });
  const tiers = await Promise.all(
    ['bybit', 'binance'].map((venue) => ask(`/leverage/tiers?symbol=BTCUSDT&venue=${venue}`)),
  );
  expect(tiers.map(({ status }) => status)).toEqual([200, 501]);
  expect(tiers[0]?.body).toMatchObject({ title: 'Bybit', unit: 'USD', tiers: [{ upTo: 300_000 }, {}, {}] });
  await expect(start({ others: ['mtgox'], archiveUrl: 'file::memory:' })).rejects.toThrow(
    /data.venues: there is no venue "mtgox"/,
  );
});

it('another venue takes one more folder', async () => {
  await start({ venues: join(import.meta.dirname, '../../support/other-venues') });
  expect((await ask('/meta')).body).toMatchObject({
    venue: { name: 'paper', title: 'Paper Exchange' },
    symbols: ['BTCUSDT', 'PAPERUSDT'],
  });
  expect((await ask('/regime')).status).toBe(200);
  expect((await ask('/candles?symbol=PAPERUSDT')).body).toMatchObject({ symbol: 'PAPERUSDT' });
  expect((await ask('/funding/current')).status).toBe(501);
});
