import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { wallClock } from '#src/runtime/clock.ts';
import { noDetectors } from '#test/support/detectors.ts';
import { startHosted } from '#test/support/hosted.ts';
import { patience } from '#test/support/patience.ts';
import { query, startPostgres } from '#test/support/postgres.ts';
import { type Program, runScript } from '../e2e/process/program.ts';

const rules = 12;

/** Wall ms between two queries, each over its own connection. */
const look = 300;

/** Three bots on one Postgres. Each test kills one of those that still run, in any order. */
let bots: readonly { readonly program: Program; readonly page: string }[] = [];
let database: string;
let price = 50;

const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-roles-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  database = await (await startPostgres()).fresh();
  const market = started.adopt(await startHosted(60), (each) => each.shut());
  market.misbehave((right, request, response) => {
    const overview = z
      .object({ coins: z.array(z.looseObject({ symbol: z.string() })) })
      .safeParse(right).data;
    const answer =
      overview !== undefined && request.url?.includes('/market/overview')
        ? { ...Object(right), coins: overview.coins.map((coin) => ({ ...coin, price })) }
        : right;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const config = {
    rules: { schedule: '*/30 * * * * *' },
    delivery: { budget: null },
    data: { budget: { limit: 100_000 } },
    detectors: noDetectors,
  };
  await writeFile(join(folder, 'config.yaml'), stringify(config));
  const environment = {
    TOCSIN_API_URL: market.url,
    TOCSIN_CONFIG: join(folder, 'config.yaml'),
    TOCSIN_DATABASE_URL: database,
    TOCSIN_HTTP_PORT: '0',
  };
  const programs = [1, 2, 3].map(() => started.use(runScript('start', { environment })));
  bots = await Promise.all(
    programs.map(async (program) => {
      const [, page = ''] = await program.says(/Tocsin is on (\S+)/);
      await program.says(/watching the market/);
      return { program, page };
    }),
  );
});

/** Waits until a condition holds. @throws an error that names it, after too long a time */
async function until(what: string, there: () => Promise<boolean>): Promise<void> {
  for (const begun = wallClock.now(); !(await there()); await wallClock.sleep(look))
    if (wallClock.now() - begun > patience) throw new Error(`not there: ${what}`);
}

/** Returns the bot that has a role; undefined while it is that of a killed one. */
async function holderOf(role: 'watch' | 'rules') {
  const [row] = await query(database, `select owner from lease where role = '${role}'`);
  return bots.find(({ program }) => String(row?.owner).split(' ')[1] === String(program.pid));
}

async function kill(bot: Awaited<ReturnType<typeof holderOf>>): Promise<void> {
  bots = bots.filter((each) => each !== bot);
  await bot?.program.kill();
}

const isHeld = (role: 'watch' | 'rules') => async () => (await holderOf(role)) !== undefined;

const post = (page: string | undefined, path: string, body: object) =>
  fetch(`${page}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const command = (line: string) => post(bots[0]?.page, '/api/commands', { line, room: 'main' });

it('a hook request that any process answered with 202 is sent once, although the watching process is killed', async () => {
  await until('a process that watches', isHeld('watch'));
  const watching = await holderOf('watch');
  const others = bots.filter((bot) => bot !== watching);
  const [page, other] = [watching, others[0]].map((bot) => bot?.page);
  const created = await (await command('hook create breakouts')).json();
  const { card } = z
    .object({ card: z.object({ facts: z.array(z.object({ name: z.string(), value: z.string() })) }) })
    .parse(created);
  const address = card.facts.find(({ name }) => name === 'Address')?.value ?? '';
  const bring = async (to: string | undefined, alert: string) => (await post(to, address, { alert })).status;
  const titles = async () => {
    const rows = await query(
      database,
      "select title from delivery where outcome = 'sent' and alert_id in (select id from alert where kind like 'hook/%') order by title",
    );
    return rows.map(({ title }) => JSON.parse(String(title)));
  };

  expect(await bring(page, 'A')).toBe(202);
  expect(await bring(other, 'A')).toBe(200);
  await until('the first', async () => (await titles()).length === 1);
  const answers = await Promise.all([bring(page, 'B'), bring(other, 'C'), bring(page, 'D')]);
  expect(answers).toEqual([202, 202, 202]);
  await kill(watching);
  await until('all of them', async () => (await titles()).length === 4);
  // A sender that got no response tries again.
  expect(await bring(other, 'B')).toBe(200);
  expect(await titles()).toEqual(['A', 'B', 'C', 'D']);
  expect(await query(database, 'select key from hook_inbox where done = 0')).toEqual([]);
});

it('another process judges the rules when the one that did is killed, and each alert comes once', async () => {
  for (let index = 0; index < rules; index += 1) {
    const created = await command(`alert create price.last above=${100 + index} symbols=btc`);
    expect(created.status).toBe(200);
  }
  /** Returns for each alert of the rules how often it was sent. */
  const sent = async () => {
    const rows = await query(
      database,
      "select alert_id, count(*)::int as times from delivery where outcome = 'sent' and alert_id in (select id from alert where kind = 'own-rule') group by alert_id",
    );
    return rows.map(({ times }) => times);
  };
  const facts = z.looseObject({ facts: z.record(z.string(), z.looseObject({ value: z.unknown() })) });
  const judgedAt = async (at: number) => {
    const [row] = await query(database, "select state from detector where name = 'rules'");
    const state = row && facts.parse(JSON.parse(String(row.state)));
    return state?.facts['price.last BTCUSDT']?.value === at;
  };
  await until('the price before', () => judgedAt(50));
  await until('a process that judges', isHeld('rules'));
  const judging = await holderOf('rules');
  price = 105;
  // The process that holds the role is killed while it may be judging the rules.
  await wallClock.sleep(500);
  await kill(judging);
  await until('the other', isHeld('rules'));
  await until('the price of now', () => judgedAt(105));
  price = 200;
  await until('the price after', () => judgedAt(200));
  await until('each alert', async () => (await sent()).length === rules);
  expect(await sent()).toEqual(Array(rules).fill(1));
});
