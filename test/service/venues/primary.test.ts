import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { type Service, type ServiceOptions, startService } from '#src/service/service.ts';
import { type SimulatedExchanges, startExchanges } from '#src/service/simulator/exchanges.ts';
import type { Fault } from '#src/service/simulator/fault.ts';
import { syntheticMarket } from '#src/service/simulator/synthetic.ts';
import type { MarketChoice } from '#src/service/upstream.ts';

const market = { ...syntheticMarket({ seed: 7, symbols: 30 }), outages: () => [] };

let folder: string;
let played: SimulatedExchanges;
let fault: (path: string) => Fault | undefined;
let asked: string[];
let logged: { msg: string; venue?: string }[];
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

const start = async (options: Partial<ServiceOptions> & { readonly venue?: string } = {}) => {
  const { venue, ...more } = options;
  const { tape: _, ...urls } = played.urls;
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
  await service.ready;
  return service;
};
const ask = async (path: string) => {
  const response = await fetch(`${service?.url}${path}`);
  return { status: response.status, body: (await response.json()) as never };
};
const isBinance = (path: string) => path.startsWith('/fapi/') || path.startsWith('/futures/');
const refusing = (status: number): Fault => ({ kind: 'answer', status, body: '<html>' });
/** Binance refuses from its so-manieth request on. */
const refuses = (status: number, from: number) => {
  let count = 0;
  fault = (path) => (isBinance(path) && ++count >= from ? refusing(status) : undefined);
};

describe('Binance does not serve this place', () => {
  it.each([
    [451, 'first', 1],
    [403, 'fortieth', 40],
  ])('HTTP %i from the %s request on: another venue is the one, and says so', async (status, _, from) => {
    refuses(status, from);
    await start();
    const meta = (await ask('/meta')).body;
    expect(meta).toMatchObject({ source: 'live', venue: { name: 'hyperliquid', title: 'Hyperliquid' } });
    expect(logged.findLast(({ venue }) => venue !== undefined)).toMatchObject({
      venue: 'hyperliquid',
      msg: 'market data comes from Hyperliquid',
    });
    expect(logged.map(({ msg }) => msg)).toContainEqual(
      from === 1
        ? 'Binance USD-M cannot be collected from'
        : 'Binance USD-M refuses this country or network: looking for another venue',
    );
    expect((await ask('/funding/current')).body).toMatchObject({ data: [{}, {}] });
    expect((await ask('/regime')).status).toBe(200);
    expect(await ask('/liquidations')).toEqual({
      status: 501,
      body: { error: expect.stringContaining('Hyperliquid does not publish liquidations') },
    });
    const { status: health, checks } = (await ask('/data/quality')).body as {
      status: string;
      checks: Record<string, { fresh: boolean }>;
    };
    expect([health, Object.keys(checks)]).toEqual(['HEALTHY', ['candles', 'funding_history', 'oi_history']]);

    await service?.close();
    asked = [];
    await start();
    expect((await ask('/meta')).body).toMatchObject({ venue: { name: 'hyperliquid' } });
    expect(asked.filter(isBinance)).toEqual([]);
  });

  it('a venue that was chosen is not left for another', async () => {
    await start({ venue: 'hyperliquid', others: [] });
    expect((await ask('/meta')).body).toMatchObject({ venue: { name: 'hyperliquid' } });
    expect(asked.filter(isBinance)).toEqual([]);
    await expect(start({ venue: 'mtgox', archiveUrl: 'file::memory:' })).rejects.toThrow(
      /no venue "mtgox"; give one of auto, binance, hyperliquid/,
    );
  });
});

it('another venue is one more folder', async () => {
  await start({ venues: join(import.meta.dirname, '../../support/venues') });
  expect((await ask('/meta')).body).toMatchObject({
    venue: { name: 'paper', title: 'Paper Exchange' },
    symbols: ['BTCUSDT', 'PAPERUSDT'],
  });
  expect((await ask('/regime')).status).toBe(200);
  expect((await ask('/candles?symbol=PAPERUSDT')).body).toMatchObject({ symbol: 'PAPERUSDT' });
  expect((await ask('/funding/current')).status).toBe(501);
});
