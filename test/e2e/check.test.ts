import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { check } from '#src/app/cli/check.ts';
import { ConfigError } from '#src/runtime/errors.ts';
import { openArchive } from '#src/service/archive/open.ts';
import { readMarket } from '#src/service/run/market-choice.ts';
import { startService } from '#src/service/run/service.ts';
import { openStore } from '#src/store/open.ts';
import { begin, run, runHere } from '#test/support/command-line.ts';
import { startDiscord } from '#test/support/discord/discord.ts';
import { sharedFolder } from '#test/support/folder.ts';
import { startHosted } from '#test/support/hosted.ts';
import { configured } from '#test/support/settings.ts';
import { startSlack } from '#test/support/slack.ts';
import { startBot } from '#test/support/start-bot.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';

const folder = await sharedFolder();
const busy = createServer();
let port: string;
beforeAll(async () => {
  writeFileSync(join(folder, 'notes.txt'), 'These are no tables, whatever the name says.\n'.repeat(40));
  writeFileSync(join(folder, 'own.yaml'), 'log:\n  level: info\nhttp: [\n');
  await (await openStore(`file:${join(folder, 'bot.db')}`)).close();
  const archive = await openArchive(`file:${join(folder, 'archive.db')}`);
  await archive.put('market', 'live');
  await archive.close();
  writeFileSync(join(folder, 'vix.csv'), 'DATE,CLOSE\n2024-01-01,.\n');
  const foreign = new DatabaseSync(join(folder, 'foreign.db'));
  foreign.exec('CREATE TABLE bookmarks (url TEXT)');
  foreign.close();
  const newer = new DatabaseSync(join(folder, 'newer.db'));
  newer.exec(`ATTACH '${join(folder, 'bot.db')}' AS bot; CREATE TABLE kysely_migration AS
    SELECT * FROM bot.kysely_migration UNION SELECT '9999-of-tomorrow', ''`);
  newer.close();
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  const address = busy.address();
  port = String(typeof address === 'object' && address?.port);
});
afterAll(() => void busy.close());

type Env = Readonly<Record<string, string>>;
const fresh = (): Env => ({
  TOCSIN_HTTP_PORT: '0',
  TOCSIN_ARCHIVE_URL: `file:${join(folder, 'fresh/archive.db')}`,
});
const bot = (path: string): Env => ({ ...fresh(), TOCSIN_DATABASE_URL: `file:${join(folder, path)}` });

/** Nothing listens on port 1. */
const dead = { TOCSIN_API_URL: 'http://me:p%40ss@127.0.0.1:1/api/v1' };
const passwords = /p@ss|w#rd|p%40ss/;
const watching = /watching the market/;

type Case = readonly [name: string, env: () => Env, expected: RegExp];

/** Problems of the bot's database. They are tested in this process, because starting one takes seconds. */
const databases: readonly Case[] = [
  ['a text file', () => bot('notes.txt'), /notes\.txt cannot be read \(file is not a database\): choose/],
  ['a database that is a folder', () => bot('.'), /tocsin-test-\w+ is a folder: give the path of a file/],
  ['a folder that is a file', () => bot('notes.txt/bot.db'), /notes\.txt is a file, not a folder/],
  ['a name that no disk takes', () => bot(`${'x'.repeat(256)}.db`), /x\.db is too long for a path/],
  [
    'a device',
    () => ({ ...fresh(), TOCSIN_DATABASE_URL: 'file:/dev/zero' }),
    /\/dev\/zero is no ordinary file: choose/,
  ],
  ['the archive as the bot’s database', () => bot('archive.db'), /archive\.db .*a database of their own/],
  [
    'another program’s database',
    () => bot('foreign.db'),
    /foreign\.db .*something else \(it has a table "bookmarks"\)/,
  ],
  ['a newer Tocsin’s database', () => bot('newer.db'), /newer\.db .*a newer Tocsin: run that version/],
];

/** Writes a configuration file, for settings that have no environment variable. */
const settings = (name: string, yaml: object): Env => {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, JSON.stringify(yaml));
  return { TOCSIN_CONFIG: path };
};
const embedded = (name: string, yaml: object, data: object = {}): Env => ({
  ...bot(`${name}/bot.db`),
  TOCSIN_ARCHIVE_URL: `file:${join(folder, name, 'archive.db')}`,
  ...settings(name, { data: { ...data, embedded: yaml } }),
});

/** Problems that make an embedded service refuse to start; the service starts in this process. */
const services: readonly Case[] = [
  [
    'a market other than its archive’s',
    () => ({ ...bot('other.db'), TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}` }),
    /holds the live market, not the simulated \(seed 7\) one: point TOCSIN_ARCHIVE_URL/,
  ],
  [
    'recordings that are nowhere',
    () => embedded('unlisted', { market: `recorded:${folder}/nowhere` }),
    /nowhere: the recordings cannot be listed\. Give a folder/,
  ],
  [
    'a folder without recordings',
    () => embedded('empty', { market: `recorded:${folder}` }),
    /it holds no hourly candles\. Put files/,
  ],
  [
    'FRED without its key',
    () => embedded('fred', { market: 'live', macro: 'fred' }),
    /fred needs a key: .*TOCSIN_FRED_KEY/,
  ],
  [
    'files of other markets that are nowhere',
    () => embedded('macro', { market: 'live', macro: `csv:${folder}/nowhere` }),
    /nowhere cannot be read: is the path right\?/,
  ],
  [
    'a file of another market without a value',
    () => embedded('vix', { market: 'live', macro: `csv:${folder}` }),
    /vix\.csv holds no values: give lines such as/,
  ],
  [
    'a venue that there is not',
    () => embedded('venue', { market: 'live' }, { venue: 'binanse' }),
    /data\.venue: there is no venue "binanse"; give one of auto, binance/,
  ],
  [
    'another venue that there is not',
    () => embedded('venues', {}, { venues: ['bybitt'] }),
    /data\.venues: there is no venue "bybitt"; give all, none or some of binance/,
  ],
  [
    'the data service’s port, in use',
    () => embedded('port', { port: Number(port), symbols: 2 }),
    /127\.0\.0\.1:\d+ is already in use: stop|Cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\): choose/,
  ],
];

async function telegram(name: string, hook: object): Promise<Env> {
  const { token, url: apiRoot, close } = await startTelegramDouble();
  onTestFinished(close);
  const webhook = { url: 'https://tocsin.example.org/hook', ...hook };
  return {
    ...bot(`${name}/bot.db`),
    ...settings(name, { platforms: { telegram: { token, apiRoot, webhook } } }),
  };
}

/** The platforms whose token is checked: a double of each, a token that it does not accept, and what is said about it. */
const checkedTokens = [
  {
    name: 'slack',
    start: async () => {
      const double = await startSlack();
      return { ...double, requests: () => double.calls };
    },
    wrong: 'xoxb-another-token',
    refusal: /^Slack does not accept SLACK_TOKEN: set the/,
    request: 'auth.test',
  },
  {
    name: 'discord',
    start: async () => {
      const double = await startDiscord();
      return { ...double, requests: () => double.requests.map(({ method, path }) => `${method} ${path}`) };
    },
    wrong: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.Gdoubl.another-secret',
    refusal: /^Discord does not accept DISCORD_TOKEN: set a valid one/,
    request: 'GET /users/@me',
  },
  {
    name: 'telegram',
    start: async () => {
      const double = await startTelegramDouble();
      return { ...double, requests: () => double.calls.map(({ method }) => method) };
    },
    wrong: `110201543:${'x'.repeat(35)}`,
    refusal: /^Telegram does not accept TELEGRAM_TOKEN: .*ask @BotFather for a valid one/,
    request: 'getMe',
  },
];

/** Returns the problems for which the bot refuses to start; with a hosted data service, which needs no thread of its own. */
async function refused(env: Env): Promise<readonly string[]> {
  const hosted = { ...env, TOCSIN_API_URL: await silentService() };
  const error = await startBot({ config: configured(hosted) }).then(
    async (started) => started.close(),
    (error: unknown) => error,
  );
  if (error instanceof ConfigError) return error.problems;
  throw new Error('it is not refused as a configuration is', { cause: error });
}

/** Creates a database that is bound to a market. */
async function ofMarket(env: Env, market: string): Promise<void> {
  const store = await openStore(String(env.TOCSIN_DATABASE_URL));
  await store.market.bind(market, { now: 0, speed: 1 });
  await store.close();
}

/** Starts a data service that responds to everything with 404, so that no request waits. Returns its URL. */
async function silentService(): Promise<string> {
  const silent = createWebServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  return `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api/v1`;
}

describe('npm run check finds what npm start refuses', () => {
  it.each(databases)('%s', async (_, env, expected) => {
    const findings = await check(configured(env()));
    const problems = findings.flatMap(({ problem }) => problem ?? []);
    for (const found of [problems, await refused(env())])
      expect(found).toEqual([expect.stringMatching(expected)]);
  });

  it.each(services)('%s', async (_, env, expected) => {
    const { data, serve } = configured(env());
    const { port, symbols, archive: archiveUrl } = data.embedded;
    const starting = async () => {
      const market = readMarket(data.embedded.market, { settings: { ...data.embedded, venue: data.venue } });
      const at = { host: '127.0.0.1', port, archiveUrl, symbols, others: data.venues, ...serve };
      return startService({ market, speed: 1, ...at, log: pino({ enabled: false }) });
    };
    await expect(starting()).rejects.toMatchObject({ problems: [expect.stringMatching(expected)] });
    const findings = await check(configured(env()));
    expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([expect.stringMatching(expected)]);
  });

  it('the port of Telegram’s webhook, in use', async () => {
    const env = await telegram('hook', { port: Number(port) });
    const expected =
      /webhook cannot listen on 127\.0\.0\.1:\d+: set platforms\.telegram\.webhook\.host and \.port/;
    expect(await refused(env)).toEqual([expect.stringMatching(expected)]);
    expect((await check(configured(env))).filter(({ problem }) => problem !== null)).toEqual([
      {
        what: 'the port of Telegram’s webhook (platforms.telegram.webhook.port)',
        problem: expect.stringMatching(/^127\.0\.0\.1:\d+ is already in use: stop what uses it/),
      },
    ]);
  });

  it.each(checkedTokens)(
    'a token that $name does not accept',
    async ({ name, start, wrong, refusal, request }) => {
      const { token, url, requests, close } = await start();
      onTestFinished(close);
      const variable = name.toUpperCase();
      const problemsWith = async (given: string, api = url) => {
        const env = { ...bot(`${name}.db`), [`${variable}_TOKEN`]: given, [`${variable}_API_URL`]: api };
        return (await check(configured(env))).filter(({ problem }) => problem !== null);
      };
      const what = `the token of ${name} (${variable}_TOKEN)`;
      expect(await problemsWith(token)).toEqual([]);
      expect(await problemsWith(wrong)).toEqual([{ what, problem: expect.stringMatching(refusal) }]);
      // Nothing is posted, and nothing is asked twice.
      expect(requests()).toEqual([request, request]);

      // Nothing listens on port 1. Telegram's URLs contain the token.
      const unreached = await problemsWith(token, 'http://127.0.0.1:1');
      expect(unreached).toEqual([
        { what, problem: expect.stringMatching(/^127\.0\.0\.1:1 (gives|gave) no answer/) },
      ]);
      expect(JSON.stringify(unreached)).not.toContain(token);
    },
  );

  it('no problem in a database of a simulated market, but says what becomes of it', async () => {
    const env = {
      ...bot('simulated.db'),
      ...settings('going-live', { data: { embedded: { market: 'live' } } }),
    };
    await ofMarket(env, 'simulated (seed 7)');
    const [database] = await check(configured(env));
    expect(database).toEqual({
      what: 'the bot’s database (TOCSIN_DATABASE_URL)',
      problem: null,
      lines: [
        expect.stringMatching(/^it was used for the simulated \(seed 7\) market: npm start deletes/),
        expect.stringMatching(/^subscriptions.* stay$/),
      ],
    });
  });

  // Another program may take the port in the meantime.
  it('two parts of the bot on one port, or in one database', { retry: 2 }, async () => {
    const found = createServer().listen(0, '127.0.0.1');
    await once(found, 'listening');
    const { port: free } = found.address() as AddressInfo;
    await found[Symbol.asyncDispose]();
    const env = { ...(await telegram('both', { port: free })), TOCSIN_HTTP_PORT: String(free) };
    const findings = await check(configured({ ...env, TOCSIN_ARCHIVE_URL: `file:${folder}/both/bot.db` }));
    expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([
      expect.stringMatching(/^this is also the bot’s database \(TOCSIN_DATABASE_URL\)/),
      expect.stringMatching(
        /:\d+ is also the (console’s port|port of Telegram’s webhook) .*: choose another/,
      ),
    ]);
  });

  it('but checks no port of a part that is not in use', async () => {
    const env = { ...bot('own.db'), TOCSIN_HTTP_PORT: port };
    const config = configured(env);
    const rest = { ...config, platforms: config.platforms.filter(({ platform }) => platform.name !== 'web') };
    expect((await check(rest)).filter(({ problem }) => problem !== null)).toEqual([]);
  });

  it('a port in use', async () => {
    const env = { ...bot('own.db'), TOCSIN_HTTP_PORT: port };
    expect((await check(configured(env))).flatMap(({ problem }) => problem ?? [])).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ is already in use: stop/),
    ]);
    const expected =
      /^the console’s port \(TOCSIN_HTTP_PORT\): 127\.0\.0\.1:\d+ is already in use: stop what uses it/;
    expect(await refused(env)).toEqual([expect.stringMatching(expected)]);
  });

  it('a port in use, before a database is made or data is collected', async () => {
    const env = { ...fresh(), TOCSIN_DATABASE_URL: `file:${join(folder, 'unmade/bot.db')}` };
    const archive = { TOCSIN_ARCHIVE_URL: `file:${join(folder, 'unmade/archive.db')}` };
    await refused({ ...env, ...archive, TOCSIN_HTTP_PORT: port });
    const { data, serve } = configured({ ...env, ...archive });
    const market = readMarket(data.embedded.market, { settings: data.embedded });
    const at = { host: '127.0.0.1', port: Number(port), archiveUrl: data.embedded.archive, symbols: 1 };
    const serving = startService({ market, speed: 1, ...at, ...serve, log: pino({ enabled: false }) });
    await expect(serving).rejects.toThrow(ConfigError);
    expect(existsSync(join(folder, 'unmade'))).toBe(false);
  });

  it('wrong YAML, with its line, before either command starts anything', () => {
    const env = { ...bot('own.db'), TOCSIN_CONFIG: join(folder, 'own.yaml') };
    expect(() => configured(env)).toThrow(/own\.yaml: line 4 is not valid/);
  });

  it('the bot’s database as the archive; both commands end with 78 and without a stack', async () => {
    const env = { ...bot('own.db'), TOCSIN_ARCHIVE_URL: `file:${join(folder, 'bot.db')}` };
    // The commands run one after the other, because check would report the files that start holds as being in use.
    const checked = await runHere(folder, ['check'], env);
    const started = await run(folder, ['start'], env);
    expect([checked.code, started.code]).toEqual([78, 78]);
    for (const text of [checked.out + checked.err, started.err]) {
      expect(text).toMatch(/bot\.db .*a database of their own/);
      expect(text).not.toMatch(/^\s+at /m);
    }
    expect(checked.out.match(/PROBLEM/g)).toHaveLength(1);
  });

  it('a page beyond this machine without a token, before either command starts anything', () => {
    expect(() => configured({ ...fresh(), TOCSIN_HTTP_HOST: '0.0.0.0' })).toThrow(/http\.token/);
  });

  it('a place where nothing can be written, for root too', async () => {
    const env = { ...fresh(), TOCSIN_DATABASE_URL: 'file:/sys/nowhere/bot.db' };
    const expected = /\/sys.* is not writable: give/;
    expect(await refused(env)).toEqual([expect.stringMatching(expected)]);
    expect((await check(configured(env)))[0]?.problem).toMatch(expected);
  });

  it('and says of the files of places where none are set', async () => {
    const { code, out } = await runHere(folder, ['check', 'places'], bot('bot.db'));
    expect([code, out]).toEqual([0, expect.stringMatching(/^ {9}places \(TOCSIN_PLACES\) names no folder/m)]);
  });

  it('and a database of the live market, if the data service has a simulated one: what a service says keeps no bot from starting', async () => {
    const [env, { url, shut }] = [bot('live.db'), await startHosted(1)];
    onTestFinished(shut);
    await ofMarket(env, 'live');
    const expected =
      /^The bot's database belongs to the live market, not to the http:.* one: point TOCSIN_DATABASE_URL/;
    const findings = await check(configured({ ...env, TOCSIN_API_URL: url }));
    expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([expect.stringMatching(expected)]);
  });

  it('and warns before a disk is full, once for all databases in a folder; the bot still starts', async () => {
    const config = configured(bot('fresh/bot.db'));
    const warnings = async (bytes: number) =>
      (await check(config, async () => bytes)).flatMap(({ warning }) => warning ?? []);
    expect(await warnings(499_999_999)).toEqual([expect.stringMatching(/^499 MB are free: make more/)]);
    expect(await warnings(500_000_000)).toEqual([]);
  });

  it('and leaves a database unchanged, and creates none', async () => {
    const before = readFileSync(join(folder, 'bot.db'));
    const names = await readdir(folder);
    const { code, out } = await runHere(folder, ['check'], bot('bot.db'));
    expect(out).toMatch(/^ok {7}the configuration$/m);
    expect(code).toBe(0);
    const findings = await check(configured(bot('another/bot.db')));
    expect(findings.map(({ problem }) => problem)).toEqual(findings.map(() => null));
    expect(readFileSync(join(folder, 'bot.db')).equals(before)).toBe(true);
    expect(await readdir(folder)).toEqual(names);
  });

  it('a dead data service, on one line with its remedy and no password', async () => {
    const { code, out, err } = await runHere(folder, ['check'], { ...bot('bot.db'), ...dead });
    expect(code).toBe(78);
    expect(out.match(/^PROBLEM.*/gm)).toEqual([
      expect.stringMatching(
        /the data service .*ECONNREFUSED.*check TOCSIN_API_URL and that the service runs$/,
      ),
    ]);
    expect(out + err).not.toMatch(passwords);
  });
});

describe('npm start', () => {
  // One test on one database, because each start takes seconds.
  it('refuses a second bot on one file until the first is killed, and logs a dead data service in one line', async () => {
    const env = { ...bot('shared/bot.db'), ...dead };
    const first = await begin(folder, ['start'], env, watching);
    const inUse = new RegExp(`shared/bot\\.db is in use by process ${first.pid}: stop that process`);
    const second = await run(folder, ['start'], env);
    expect([second.code, second.err]).toEqual([78, expect.stringMatching(inUse)]);
    const [found] = await check(configured(env));
    expect(found?.problem).toMatch(inUse);
    await first.kill('SIGKILL');

    // The lock looks as if another process had got that pid in the meantime.
    const lock = new DatabaseSync(join(folder, 'shared/bot.db-lock'));
    lock.exec(`UPDATE holder SET pid = ${process.pid}`);
    lock.close();
    const third = await begin(folder, ['start'], env, watching);
    await third.until(/does not answer/);
    await third.kill('SIGTERM');
    const refusals = third.written().match(/.*ECONNREFUSED.*/g);
    expect(refusals).toEqual([expect.stringMatching(/check TOCSIN_API_URL and that the service runs/)]);
    // The log contains no stack and no password.
    expect(third.written()).not.toMatch(/p@ss|p%40ss|\\n +at /);
  });

  it.each([
    [
      'cannot be reached',
      {
        TOCSIN_DATABASE_URL: 'postgres://me:p@ss/w#rd@127.0.0.1:1/x',
        TOCSIN_ARCHIVE_URL: 'postgres://me:p@ss/w#rd@127.0.0.1:1/x',
      },
      [/database/, /archive/],
    ],
    [
      'is none',
      {
        TOCSIN_DATABASE_URL: 'mysql://me:p@ss/w#rd@127.0.0.1:1/x',
        TOCSIN_API_URL: 'ftp://me:p@ss/w#rd@127.0.0.1:1/api/v1',
        TELEGRAM_TOKEN: '1:x',
        TELEGRAM_API_URL: 'htp:/me:p@ss/w#rd@127.0.0.1:1',
      },
      [/TOCSIN_DATABASE_URL/, /TOCSIN_API_URL/, /TELEGRAM_API_URL/],
    ],
  ])('the password in a URL that %s is never printed', async (_, env, expected) => {
    const { code, out, err } = await runHere(folder, ['check'], { ...bot('bot.db'), ...env });
    expect(code).toBe(78);
    const lines = `${out.replace(/^ok.*$/gm, '')}${err}`.trim().split('\n');
    expect(lines.filter((line) => /PROBLEM|_URL/.test(line))).toEqual(
      expected.map((each) => expect.stringMatching(each)),
    );
    expect(out + err).not.toMatch(passwords);
  });
});
