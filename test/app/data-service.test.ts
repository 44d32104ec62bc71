import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDataService } from '#src/app/data-service.ts';
import { configured } from '#test/support/settings.ts';

const hosted = { TOCSIN_API_URL: 'https://data.example/api/v1', TOCSIN_API_KEY: 'tocsin_of_someone' };
const log = pino({ level: 'silent' });

const config = (given: Record<string, string>) =>
  configured({ TOCSIN_HTTP_PORT: '0', TOCSIN_ARCHIVE_URL: 'file::memory:', ...given });

/** Returns the threads that are opened during the test. */
function opened(): readonly Worker[] {
  const workers: Worker[] = [];
  const remember = (worker: Worker) => void workers.push(worker);
  process.on('worker', remember);
  onTestFinished(() => void process.off('worker', remember));
  return workers;
}
/** The ids of the threads; that of a thread that has ended is -1. */
const idsOf = (threads: readonly Worker[]) => threads.map(({ threadId }) => threadId);

/** Returns a port that another program listens on. */
async function takenPort(): Promise<string> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  return String((other.address() as AddressInfo).port);
}

describe('the thread of the data service', () => {
  it('is not opened where the environment names a hosted service', async () => {
    const threads = opened();
    const service = await prepareDataService(hosted)(config(hosted), log);
    expect(await service.open).toMatchObject({ url: hosted.TOCSIN_API_URL });
    expect(threads).toEqual([]);
  });

  it.each([
    ['elsewhere', {}],
    ['elsewhere, and the variable is empty', { TOCSIN_API_URL: '' }],
  ])('is ended where a hosted service is configured %s', async (_, env) => {
    const threads = opened();
    const service = await prepareDataService(env)(config(hosted), log);
    expect(await service.open).toMatchObject({ url: hosted.TOCSIN_API_URL });
    expect(idsOf(threads)).toEqual([-1]);
  });

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['a port that is taken', async () => ({ TOCSIN_HTTP_PORT: await takenPort() })],
    ['an archive that cannot be opened', async () => ({ TOCSIN_ARCHIVE_URL: 'file:/proc/no/archive.db' })],
  ])('is ended by %s, which is said', async (_, env) => {
    const threads = opened();
    const start = prepareDataService({});
    const given = config(await env());
    await expect(start(given, log).then((service) => service.open)).rejects.toMatchObject({
      name: 'ConfigError',
    });
    expect(idsOf(threads)).toEqual([-1]);
  });

  it('that dies before the configuration is read is started again', async () => {
    const opening = once(process, 'worker');
    const start = prepareDataService({});
    const [thread]: Worker[] = await opening;
    await thread?.terminate();
    const { open, close } = await start(config({}), log);
    expect(await open).toMatchObject({ url: expect.stringContaining('127.0.0.1') });
    await close();
  });

  it('of the first start is in use: another start has one of its own', async () => {
    const threads = opened();
    const start = prepareDataService({});
    const services = [await start(config({}), log), await start(config({}), log)];
    const urls = await Promise.all(services.map(async ({ open }) => (await open).url));
    expect(new Set(urls).size).toBe(2);
    expect(new Set(idsOf(threads)).size).toBe(2);
    await Promise.all(services.map((service) => service.close()));
    expect(idsOf(threads)).toEqual([-1, -1]);
  });
});
