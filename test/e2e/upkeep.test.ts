import { writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '#src/store/open.ts';
import { firing, start } from '#test/support/alerts.ts';
import { begin, run } from '#test/support/command-line.ts';
import { ownFolder } from '#test/support/folder.ts';
import { startHosted } from '#test/support/hosted.ts';
import { configured } from '#test/support/settings.ts';
import { startBot } from '#test/support/start-bot.ts';

it('a bot applies a changed configuration, on SIGHUP or by itself, ignores a wrong one, and goes on', async () => {
  const folder = await ownFolder();
  const settings = join(folder, 'own.yaml');
  // The data service does not exist, so that the bot waits for no market.
  const yaml = (text: string) => writeFileSync(settings, `${text}\nhttp: { port: 0 }\n`);
  yaml('log: { level: info }');
  const env = {
    TOCSIN_CONFIG: settings,
    TOCSIN_DATABASE_URL: `file:${folder}/bot.db`,
    TOCSIN_API_URL: 'http://127.0.0.1:1/api/v1',
  };
  const bot = await begin(folder, ['start'], env, /"watching the market"/);
  const hangUp = () => process.kill(bot.pid, 'SIGHUP');

  yaml('log: { level: loud }');
  hangUp();
  await bot.until(
    /"problem":"log\.level .*","msg":"the new configuration is wrong; the old one stays in use"/,
  );
  yaml('log: { level: info }\noperators: [terminal, discord:1]');
  await bot.until(/"changed":\["operators"\],"msg":"the new configuration is in use"/);
  yaml('watch: false');
  hangUp();
  await bot.until(/"changed":\["watch"\],"msg":"starting anew(?:.|\n)*"watching the market"/);
  // The restart released the lock on the database file.
  await bot.kill('SIGTERM');
  expect(bot.exitCode()).toBe(0);
  expect(bot.written()).not.toMatch(/in use by process|"level":50(?!.*the new configuration is wrong)/);
});

describe('a bot that starts before its data service and learns its market late', () => {
  /** Starts a bot on a database of this market, or of none, and then its service, which has a simulated market. */
  async function late(market?: string) {
    const folder = await ownFolder();
    const database = `file:${folder}/bot.db`;
    const store = await openStore(database);
    if (market !== undefined) await store.market.bind(market, { now: start, speed: 1 });
    await store.dispatch((unit) =>
      unit.save({ alert: firing({ kind: 'data-quality' }), group: 'g', due: start, heldBy: null }),
    );
    await store.close();
    const service = await startHosted(1);
    onTestFinished(service.shut);
    await service.shut();
    const env = { TOCSIN_HTTP_PORT: '0', TOCSIN_DATABASE_URL: database, TOCSIN_API_URL: service.url };
    const written: string[] = [];
    const bot = await startBot({ config: configured(env), written });
    onTestFinished(() => bot.close());
    const says = (line: RegExp) => expect.poll(() => written.join('')).toMatch(line);
    await says(/the data service does not answer/);
    await service.open();
    return { bot, says, database };
  }
  async function firingIn(database: string) {
    const store = await openStore(database);
    onTestFinished(() => store.close());
    return (await store.alerts.firing(['data-quality'])).length;
  }

  it('leaves the alerts of another simulated market behind', async () => {
    const { bot, says, database } = await late('simulated (seed 7)');
    await says(/"before":"simulated \(seed 7\)","market":"http.*this database was of another market/);
    await bot.close();
    expect(await firingIn(database)).toBe(0);
  });

  it('goes on with a new database, and at the next start too', async () => {
    const { bot, says, database } = await late();
    await says(/the data service answers again/);
    await bot.close();
    const store = await openStore(database);
    onTestFinished(() => store.close());
    expect(await store.market.bound()).toMatchObject({ market: expect.stringMatching(/^http/) });
  });

  it('goes on without data, and leaves the alerts of the live market as they are, at the next start too', async () => {
    const { bot, says, database } = await late('live');
    await says(/says that its market is the http.* one, and this bot's is the live one/);
    await bot.close();
    expect(await firingIn(database)).toBe(1);
  });
});

it('a first start makes files for their owner alone, listens for SIGTERM, and then ends at once', async () => {
  const folder = await ownFolder();
  // The usual port is avoided, because another bot may be running on this machine.
  const bot = await begin(folder, ['start'], { TOCSIN_HTTP_PORT: '0' }, /Tocsin is on/);
  const data = join(folder, 'data');
  const names = await readdir(data);
  const kept = ['tocsin.db', 'archive.db'];
  expect(names).toEqual(expect.arrayContaining(kept.flatMap((name) => [`${name}-wal`, `${name}-shm`])));
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const modes = await Promise.all(names.map((name) => mode(join(data, name))));
  expect([...new Set(modes), await mode(data)]).toEqual(['600', '700']);
  // Process 1 of a container is not ended by a signal that it does not listen for, and a first start may take minutes.
  await bot.kill('SIGTERM');
  expect(bot.exitCode()).toBe(0);
  expect(bot.written()).not.toMatch(/watching the market|"level":[456]0/);
});

it('a bot ends with 75, and not with 78 as for what is wrong, while its Postgres does not answer', async () => {
  const folder = await ownFolder();
  const url = 'postgres://tocsin:p%40ss@127.0.0.1:1/tocsin';
  for (const [words, env] of [
    [['start'], { TOCSIN_DATABASE_URL: url, TOCSIN_API_URL: 'http://127.0.0.1:1/api/v1' }],
    [['start'], { TOCSIN_ARCHIVE_URL: url, TOCSIN_DATABASE_URL: `file:${folder}/bot.db` }],
  ] as const) {
    const { code, err } = await run(folder, words, { TOCSIN_HTTP_PORT: '0', ...env });
    expect([code, err]).toEqual([75, expect.stringMatching(/Postgres cannot be reached: check host/)]);
    expect(err).not.toMatch(/p@ss|p%40ss/);
  }
});

it('an error that nothing catches ends the bot with 70, and its text contains no token', async () => {
  const folder = await ownFolder();
  const token = `1:${'x'.repeat(35)}`;
  // Thrown by a timer once the bot runs, as a defect of a library would be.
  const defect = `const { stdout } = process, { write } = stdout;
    process.stderr.write = new Proxy(process.stderr.write, { apply(target, self, given) {
      if (/watching the market/.test(given[0])) setTimeout(() => { throw Object.assign(new Error('left alone'), { url: '${token}' }); });
      return Reflect.apply(target, self, given);
    } });`;
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(defect)}`,
    TOCSIN_HTTP_PORT: '0',
    TOCSIN_DATABASE_URL: `file:${folder}/bot.db`,
    TOCSIN_API_URL: 'http://127.0.0.1:1/api/v1',
    TELEGRAM_TOKEN: token,
    TELEGRAM_API_URL: 'http://127.0.0.1:1',
  };
  const { code, out, err } = await run(folder, ['start'], env);
  expect([code, err]).toEqual([70, expect.stringMatching(/Error: left alone\n +at /)]);
  expect(out + err).not.toContain(token);
});
