import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { begin } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { jsonRequest } from '#test/support/json-request.ts';
import { patience } from '#test/support/patience.ts';
import { type SimulatedExchangesOptions, startExchanges } from '#test/support/venues/exchanges.ts';
import { liveSettings } from '#test/support/venues/live-settings.ts';

/** Starts the venues on loopback, and a folder with settings for them. */
async function play(fault: NonNullable<SimulatedExchangesOptions['fault']>) {
  const folder = await ownFolder();
  const played = await startExchanges({ market, clock: realTime(wallClock), fault });
  onTestFinished(() => played.close());
  const file = join(folder, 'live.yaml');
  const live = liveSettings(played.urls);
  await writeFile(file, JSON.stringify({ data: { embedded: { market: 'live', symbols: 2, live } } }));
  const env = {
    TOCSIN_CONFIG: file,
    TOCSIN_DATABASE_URL: `file:${join(folder, 'bot.db')}`,
    TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
  };
  return { folder, env };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await probe[Symbol.asyncDispose]();
  return port;
}

it(
  'if every other venue refuses, the bot watches Hyperliquid and says what data it does not offer',
  async () => {
    const { folder, env } = await play((path) =>
      /^\/(bybit|okx|fapi|futures)\//.test(path) ? { kind: 'answer', status: 451 } : undefined,
    );
    const port = String(await freePort());
    const bot = await begin(
      folder,
      ['start'],
      { ...env, TOCSIN_HTTP_PORT: port },
      /market data comes from Hyperliquid/,
    );
    onTestFinished(() => bot.kill());
    await bot.until(/the data service is ready/);
    const watched = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/api/status`);
      const { venue, detectors } = (await response.json()) as {
        venue: string;
        detectors: { name: string; lastRun: number | null; problem: { message: string } | null }[];
      };
      const of = (wanted: string) => detectors.find(({ name }) => name === wanted);
      return {
        venue,
        funding: of('funding-extreme')?.lastRun !== null,
        liquidations: of('liquidation-burst')?.problem?.message,
      };
    };
    await expect.poll(watched, { interval: 500, timeout: patience }).toEqual({
      venue: 'Hyperliquid',
      funding: true,
      liquidations: '/liquidations: Hyperliquid does not publish liquidations',
    });
  },
  3 * patience,
);

it(
  'in the first minute of a start everything says how far loading is, and nothing that it failed',
  async () => {
    // Some of the past the exchange has not answered yet.
    const { folder, env } = await play((path, query) =>
      path === '/fapi/v1/klines' && query?.get('symbol') === 'ETHUSDT' ? { kind: 'hang' } : undefined,
    );
    const port = String(await freePort());
    const words = { ...env, TOCSIN_HTTP_PORT: port };
    const bot = await begin(folder, ['start'], words, /market data comes from Binance/);
    onTestFinished(() => bot.kill());
    const page = `http://127.0.0.1:${port}`;
    const read = async (path: string, init?: RequestInit) => (await fetch(page + path, init)).text();
    const command = (line: string) => read('/api/commands', jsonRequest('POST', { line, room: 'here' }));
    const isLoading = async () => /"progress":0\.[1-9]/.test(await read('/readyz'));
    await expect.poll(isLoading, { interval: 200, timeout: patience }).toBe(true);
    const [ready, status, ...cards] = await Promise.all([
      read('/readyz'),
      read('/api/status'),
      ...['status', 'market', 'coin btc', 'oi btc', 'regime'].map(command),
    ]);
    expect(ready).toMatch(/^\{"status":"starting","progress":0\.\d+\}$/);
    expect(JSON.parse(status)).toMatchObject({ source: 'live', ready: false, loaded: expect.anything() });
    const shares = cards.map((card) => Number(/still loading: (\d+)%/.exec(card)?.[1]));
    // It goes on from one answer to the next.
    const { progress } = JSON.parse(ready) as { progress: number };
    expect(shares.filter((share) => !(share >= Math.floor(100 * progress) && share < 100))).toEqual([]);
    for (const answer of [status, ...cards])
      expect(answer).not.toMatch(/failed|hosted|refused (?!")|not answer|unavailable|away/);
  },
  2 * patience,
);
