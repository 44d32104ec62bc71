import { expect, it, onTestFinished } from 'vitest';
import { contract, type EndpointName } from '#src/contract/index.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { begin, runHere } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { patience } from '#test/support/patience.ts';
import { query, startPostgres } from '#test/support/postgres.ts';

const speed = 20;
const words = ['serve', '--port', '0', '--symbols', '2', '--speed', String(speed)];

/** Endpoints whose answers contain the time at which they were made. */
const withItsMoment: readonly EndpointName[] = ['meta', 'dataQuality', 'prices'];

async function serve(env: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const service = await begin(await ownFolder(), [...words, ...more], env, /The data service is on (\S+)\n/);
  onTestFinished(() => service.kill());
  const url = /The data service is on (\S+)\n/.exec(service.written())?.[1] ?? '';
  const text = async (name: EndpointName) => (await fetch(url + contract[name].path)).text();
  return {
    ...service,
    text,
    /** Returns why the service is not ready, or `ready`: `/readyz` has no request limit. */
    async readiness() {
      const { status } = (await (await fetch(new URL('/readyz', url))).json()) as { status: string };
      return status;
    },
    meta: async () => contract.meta.answer.parse(JSON.parse(await text('meta'))),
  };
}

/** Lets a test stop one database of the run's server: its connections end, and new ones are refused. */
function stoppable(url: string) {
  const name = new URL(url).pathname.slice(1);
  const server = new URL('/postgres', url).href;
  const allow = (allowed: boolean) => query(server, `alter database ${name} allow_connections ${allowed}`);
  return {
    async stop() {
      await allow(false);
      await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
    resume: () => allow(true),
  };
}

it(
  'of several services on one Postgres one collects, all answer alike, another takes over if it is killed, and none is ready without the database',
  async () => {
    const env = { TOCSIN_ARCHIVE_URL: await (await startPostgres()).fresh() };
    const first = await serve(env);
    await first.until(/It is ready/);
    const [reader, second] = await Promise.all([serve(env, '--read'), serve(env)]);
    await Promise.all([reader.until(/It is ready/), second.until(/It is ready/)]);
    expect(second.written()).toMatch(/another process holds this role/);
    expect(reader.written()).not.toMatch(/role/);

    const { marketTime: time, ...told } = await reader.meta();
    expect(told).toMatchObject({ ready: true, source: 'simulated', symbols: ['BTCUSDT', 'ETHUSDT'], speed });
    // A reader knows market time only as far as the collecting service has written it.
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.parse((await first.meta()).marketTime));
    for (const name of Object.keys(contract) as EndpointName[])
      if (!withItsMoment.includes(name))
        await expect
          .poll(async () => [name, (await reader.text(name)) === (await first.text(name))], { interval: 200 })
          .toEqual([name, true]);

    // From the kill until market time goes on, every request to the reader and to the new collecting service succeeds.
    const later = Date.parse((await first.meta()).marketTime) + 3 * 60_000;
    first.kill('SIGKILL');
    const dead = Date.now();
    const answers = new Set<string>();
    const asked = [reader];
    let over = false;
    const asking = (async () => {
      // Without a pause the questions take a core from the processes that they are about.
      while (!over) {
        for (const { readiness } of asked) answers.add(await readiness());
        await wallClock.sleep(10);
      }
    })();
    await second.until(/took this role over/);
    const within = Date.now() - dead;
    asked.push(second);
    await expect
      .poll(async () => Date.parse((await reader.meta()).marketTime), { interval: 500 })
      .toBeGreaterThan(later);
    over = true;
    await asking;
    expect(answers).toEqual(new Set(['ready']));
    expect(within).toBeLessThan(patience);

    const database = stoppable(env.TOCSIN_ARCHIVE_URL);
    await database.stop();
    const readiness = () => Promise.all(asked.map((each) => each.readiness()));
    await expect
      .poll(readiness, { interval: 200, timeout: patience })
      .toEqual(['no database', 'no database']);
    await database.resume();
    await expect.poll(reader.readiness, { interval: 200, timeout: patience }).toBe('ready');
  },
  4 * patience,
);

it('a service that only reads refuses a file as its archive', async () => {
  const folder = await ownFolder();
  const refused = await runHere(folder, ['serve', '--read', '--port', '0'], {
    TOCSIN_ARCHIVE_URL: `file:${folder}/archive.db`,
  });
  expect(refused).toMatchObject({ code: 78, out: '' });
  expect(refused.err).toMatch(/only reads needs the Postgres/);
});
