import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type EndpointAnswer, type EndpointName } from '#src/contract/index.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { type Service, startService } from '#src/service/run/service.ts';
import type { MarketChoice } from '#src/service/run/upstream.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { recordedFolder } from '#test/support/recorded-market.ts';
import { type SimulatedExchanges, startExchanges } from '#test/support/venues/exchanges.ts';

const names = Object.keys(contract) as EndpointName[];

interface Stage {
  readonly market: MarketChoice;
  close(): Promise<void>;
}

/**
 * Starts a loopback double of the live exchanges: the venues’ doubles, at the present time of day. A suite of its
 * own compares its payloads with documented and recorded ones.
 */
async function live(): Promise<Stage> {
  const exchanges: SimulatedExchanges = await startExchanges({ market, clock: realTime(wallClock) });
  const { urls } = exchanges;
  return { market: { kind: 'live', urls: { ...urls, fred: urls.deribit } }, close: exchanges.close };
}

async function recorded(): Promise<Stage> {
  const dir = await recordedFolder();
  return { market: { kind: 'recorded', dir }, close: () => rm(dir, { recursive: true }) };
}

/** The tests for the simulated market are in service.test.ts, on both databases. */
const servedJson = (source: string, prepare: () => Promise<Stage>) => () => {
  let stage: Stage;
  let service: Service;
  beforeAll(async () => {
    stage = await prepare();
    service = await startService({
      market: stage.market,
      archiveUrl: 'file::memory:',
      speed: 1,
      host: '127.0.0.1',
      port: 0,
      symbols: 2,
      log: pino({ level: 'silent' }),
    });
    await service.ready;
  });
  afterAll(async () => {
    await service?.close();
    await stage?.close();
  });
  const ask = async <Name extends EndpointName>(name: Name): Promise<EndpointAnswer<Name>> => {
    // Binance tells its tiers only to those who have a key.
    const query = name === 'leverageTiers' ? '?venue=bybit' : '';
    const response = await fetch(`${service.url}${contract[name].path}${query}`);
    expect([name, response.status]).toEqual([name, 200]);
    return (await response.json()) as EndpointAnswer<Name>;
  };

  it.each(names)('the response of %s has exactly the contract’s fields', async (name) => {
    const body = await ask(name);
    expect(contract[name].answer.parse(body)).toEqual(body);
  });

  it('/meta names the source of every feed', async () => {
    const meta = await ask('meta');
    expect(meta).toMatchObject({ source, ready: true });
    expect(meta.symbols.toSorted()).toEqual(['BTCUSDT', 'ETHUSDT']);
    const feeds = meta.feeds.map((feed) => [feed.name, feed.source, ...(feed.symbols ?? [])].join(' '));
    const exceptions = feeds.filter(
      (row) => !row.endsWith(` ${source === 'recorded' ? 'simulated' : source}`),
    );
    expect(exceptions.toSorted()).toEqual(
      source === 'recorded'
        ? ['candles recorded BTCUSDT', 'candles simulated ETHUSDT', 'funding recorded']
        : [],
    );
    // A machine that is too busy to answer itself for seconds is no failure.
    const failing = async () => (await ask('meta')).feeds.filter(({ problem }) => problem !== undefined);
    await expect.poll(failing).toEqual([]);
  });

  it('signals are computed from the numbers as published', async () => {
    const { current, signal } = await ask('basis');
    const pct = current?.basisPct ?? 0;
    expect(signal).toBe(pct > 0.05 ? 'CONTANGO' : pct < -0.05 ? 'BACKWARDATION' : 'FLAT');
    const options = await ask('optionsSummary');
    const ratio = options.current?.putCallRatio ?? Number.NaN;
    expect(options.signal).toBe(
      ratio < 0.7 ? 'BULLISH_OPTIONS' : ratio > 1.2 ? 'BEARISH_OPTIONS' : 'NEUTRAL',
    );
  });

  it('values that no upstream supplies are omitted', async () => {
    const { crossAsset } = await ask('regimeProbabilities');
    const { data, goldMarket } = await ask('crossAssetHistory');
    expect('dxy' in crossAsset).toBe(source !== 'live');
    // Without a provider of macro data, gold alone is known: the venue's perpetual.
    expect(data.length).toBeGreaterThan(0);
    for (const row of data) expect('dxy' in row).toBe(source !== 'live');
    expect(data.at(-1)).toMatchObject({ gold: expect.any(Number) });
    expect(goldMarket).toBe(source === 'live' ? 'PERPETUAL' : undefined);
    expect(crossAsset.stablecoinFlow).toEqual(expect.any(Number));
  });
};

describe('the served JSON, market recorded', servedJson('recorded', recorded));
describe('the served JSON, market live', servedJson('live', live));
