import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { type StreamEvent, streamEvents } from '#src/contract/stream.ts';
import { day, hour } from '#src/runtime/units.ts';
import { type ServiceOptions, startService } from '#src/service/run/service.ts';
import { ownFolder } from '#test/support/folder.ts';
import { patience } from '#test/support/patience.ts';
import { startPostgres } from '#test/support/postgres.ts';

/** Market time runs at wall speed here, so that a start takes only a few seconds of it. */
const speed = 1;
const simulated: Omit<ServiceOptions, 'archiveUrl'> = {
  market: { kind: 'simulated', seed: 7, symbols: 30 },
  speed,
  host: '127.0.0.1',
  port: 0,
  symbols: 2,
  log: pino({ level: 'silent' }),
};

const ask = async <Name extends EndpointName>(url: string, name: Name) => {
  const response = await fetch(`${url}${contract[name].path}`);
  return { status: response.status, body: await response.json() };
};
const meta = async (url: string) => contract.meta.answer.parse((await ask(url, 'meta')).body);
const history = async (url: string) =>
  contract.regimeHistory.answer.parse(
    (await (await fetch(`${url}/regime/history?days=90`)).json()) as unknown,
  );

it('a service over a simulated market starts, responds as in the contract, stops, and continues where it stopped', async () => {
  const options = { ...simulated, archiveUrl: `file:${join(await ownFolder(), 'archive.db')}` };
  const first = await startService(options);
  expect((await ask(first.url, 'regime')).status).toBe(503);
  expect((await meta(first.url)).ready).toBe(false);
  await first.ready;

  for (const name of Object.keys(contract) as EndpointName[]) {
    const { status, body } = await ask(first.url, name);
    expect([name, status]).toEqual([name, 200]);
    expect(contract[name].answer.parse(body)).toEqual(body);
  }
  const asked = performance.now();
  const before = await meta(first.url);
  expect(before).toMatchObject({
    source: 'simulated',
    ready: true,
    speed,
    symbols: ['BTCUSDT', 'ETHUSDT'],
  });
  // The simulated market is audited like a real one, against the simulator, and its source says that it is simulated.
  const audited = async () => contract.dataChecks.answer.parse((await ask(first.url, 'dataChecks')).body);
  // One round, or more if the machine is slow.
  const checked = async () => (await audited()).count;
  await expect.poll(checked, { interval: 200, timeout: patience }).toBeGreaterThanOrEqual(24);
  const { source, values } = await audited();
  expect(source).toBe('simulated');
  // Around a settlement there is no running rate to compare.
  const always = values.filter(({ value }) => value !== 'running_funding');
  const of = (asked: 'PRIMARY' | 'SECOND') => always.filter(({ role }) => role === asked);
  expect(of('PRIMARY')).toEqual(
    Array(5).fill(expect.objectContaining({ venue: 'simulated exchange', missed: 0 })),
  );
  for (const { checks } of of('PRIMARY')) expect(checks).toBeGreaterThanOrEqual(2);
  expect(of('SECOND').length).toBeGreaterThanOrEqual(5);
  for (const row of of('SECOND'))
    expect(row).toMatchObject({ venue: expect.stringMatching(/^simulated /), missed: 0 });
  const published = await history(first.url);
  expect(published.data.length).toBeGreaterThanOrEqual((90 * day) / hour - 1);
  await first.close();
  await expect(fetch(`${first.url}/meta`)).rejects.toThrow();

  const second = await startService(options);
  await second.ready;
  const after = await meta(second.url);
  expect(Date.parse(after.marketTime)).toBeGreaterThanOrEqual(Date.parse(before.marketTime));
  // At most the time that has passed meanwhile, plus what a start may skip.
  const passed = performance.now() - asked + 2_000;
  expect(Date.parse(after.marketTime) - Date.parse(before.marketTime)).toBeLessThan(passed * speed);
  expect((await history(second.url)).data.slice(-2000)).toEqual(published.data.slice(-2000));
  await expect(
    startService({ ...options, archiveUrl: 'file::memory:', port: Number(new URL(second.url).port) }),
  ).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringContaining('choose another') });
  await second.close();

  const [url, stream] = ['http://127.0.0.1:1', 'ws://127.0.0.1:1'];
  const urls = {
    venues: { binance: { rest: url, stream } },
    deribit: url,
    fearGreed: url,
    stablecoins: url,
    fred: url,
  };
  for (const market of [{ kind: 'simulated', seed: 8 } as const, { kind: 'live', urls } as const]) {
    await expect(startService({ ...options, market })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('TOCSIN_ARCHIVE_URL'),
    });
  }
});

it('a service that follows streams the prices that another one hears, and goes on when it takes over', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const options = { ...simulated, archiveUrl: await server.fresh() };
  const first = await startService(options);
  await first.ready;
  const second = await startService(options);
  await second.ready;
  const meta = contract.meta.answer.parse(await (await fetch(`${second.url}/meta`)).json());
  expect(meta.extensions).toContain('stream');

  const listening = new AbortController();
  const events: StreamEvent<'price'>[] = [];
  const read = async () => {
    const response = await fetch(`${second.url}/stream`, { signal: listening.signal });
    const lines = createInterface({ input: Readable.fromWeb(response.body as ReadableStream) });
    let name = '';
    for await (const line of lines) {
      if (line.startsWith('event: ')) name = line.slice(7);
      else if (line.startsWith('data: ') && name === 'price')
        events.push(streamEvents.price.parse(JSON.parse(line.slice(6))));
    }
  };
  const reading = read().catch(() => {});
  const hearsPrices = () => {
    const from = events.length;
    return expect
      .poll(
        () =>
          new Set(
            events
              .slice(from)
              .filter(({ stale }) => !stale)
              .flatMap(({ data }) =>
                data.filter(({ symbol }) => symbol === 'BTCUSDT').map(({ price }) => price),
              ),
          ).size,
        { interval: 100, timeout: patience },
      )
      .toBeGreaterThanOrEqual(2);
  };
  await hearsPrices();
  await first.close();
  await hearsPrices();
  listening.abort();
  await reading;
  await second.close();
});

it('a start that is stopped before it is ready ends', async () => {
  const service = await startService({ ...simulated, archiveUrl: 'file::memory:' });
  await service.close();
});
