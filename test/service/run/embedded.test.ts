import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { minute } from '#src/runtime/units.ts';
import { type EmbeddedOptions, openThread, startEmbedded } from '#src/service/run/embedded.ts';
import { patience } from '#test/support/patience.ts';

describe('the embedded service', () => {
  let dir: string;
  let lines: string[];
  let options: EmbeddedOptions;
  let workers: Worker[];
  const remember = (worker: Worker) => void workers.push(worker);

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tocsin-embedded-'));
    [lines, workers] = [[], []];
    process.on('worker', remember);
    options = {
      market: { kind: 'simulated', seed: 7, symbols: 30 },
      speed: 1,
      host: '127.0.0.1',
      port: 0,
      archiveUrl: `file:${join(dir, 'archive.db')}`,
      symbols: 1,
      log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    };
  });
  afterAll(async () => {
    process.off('worker', remember);
    await rm(dir, { recursive: true, force: true });
  });

  it('responds from another thread with a key of its own, and returns at the same port', async () => {
    const embedded = await startEmbedded(options);
    const exits = () =>
      lines
        .map((line) => JSON.parse(line))
        .flatMap(({ msg, restartIn }) => (/died/.test(msg) ? restartIn : []));
    const status = async (headers: Record<string, string> = {}) =>
      (await fetch(`${embedded.url}/meta`, { headers })).status;

    expect(embedded.apiKey.reveal()).toMatch(/^tocsin_[0-9a-f]{64}$/);
    expect(await status({ 'x-api-key': embedded.apiKey.reveal() })).toBe(200);
    expect(await status({ 'x-api-key': 'tocsin_0' })).toBe(401);

    await workers.at(-1)?.terminate();
    await vi.waitUntil(() => exits().length === 1, { interval: 5 });
    await expect(status()).rejects.toThrow();
    await vi.waitUntil(
      () =>
        status().then(
          () => true,
          () => false,
        ),
      { timeout: patience, interval: 20 },
    );
    expect(await status({ 'x-api-key': embedded.apiKey.reveal() })).toBe(200);
    expect(exits()).toEqual([500]);

    await embedded.ready;
    await embedded.close();
    await expect(status()).rejects.toThrow();
    expect(exits()).toEqual([500]);

    const log = lines.join('');
    expect(log).toContain('the data service is ready');
    expect(log + inspect(embedded) + JSON.stringify(embedded)).not.toContain(embedded.apiKey.reveal());
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
  });

  it('its thread takes over a new level of the log, until it ends', async () => {
    const own: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void own.push(line) });
    const embedded = await startEmbedded({ ...options, archiveUrl: 'file::memory:', log });
    log.level = 'info';
    await vi.waitUntil(() => own.some((line) => JSON.parse(line).level === 30), {
      timeout: patience,
      interval: 5,
    });
    await embedded.close();
    expect(log.listenerCount('level-change')).toBe(0);
  });

  it('a thread whose event loop has not turned for two minutes is replaced by another', async () => {
    const own: string[] = [];
    const log = pino({}, { write: (line: string) => void own.push(line) });
    // Holds the port until the other thread starts.
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    // Hangs once it has started; the next thread does not.
    const entry = join(dir, 'hanging.js');
    const src = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
    await writeFile(
      entry,
      `import { existsSync, writeFileSync } from 'node:fs';
      const { offerToParent } = await import(${src('runtime/thread.ts')});
      const spin = () => { for (;;); };
      if (existsSync('${entry}.hung')) await import(${src('service/run/worker.ts')});
      else {
        writeFileSync('${entry}.hung', '');
        offerToParent({ start: () => (setImmediate(spin), '${url}') });
      }`,
    );
    const opening = once(process, 'worker');
    const thread = openThread(pathToFileURL(entry));
    const [hanging]: Worker[] = await opening;
    const ended = new Promise<void>((resolve) => hanging?.once('exit', () => resolve()));
    const embedded = await startEmbedded({ ...options, archiveUrl: 'file::memory:', log }, thread);
    await vi.advanceTimersByTimeAsync(2 * minute - 1);
    expect(own).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    holder.close();
    vi.useRealTimers();
    const responds = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await vi.waitUntil(responds, { timeout: patience, interval: 20 });
    expect(JSON.parse(own[0] ?? '')).toMatchObject({
      level: 50,
      msg: 'the embedded data service died; restarting it',
      err: { message: 'the event loop of the data service has not turned for minutes' },
    });
    await embedded.close();
  });

  it('a port in use is a configuration error, not a crash to recover from', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startEmbedded({ ...options, archiveUrl: 'file::memory:', port })).rejects.toMatchObject({
      name: 'ConfigError',
      message: `Cannot listen on 127.0.0.1:${port} (EADDRINUSE): choose another host or port.`,
    });
    other.close();
  });
});
