import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { wallClock } from '#src/runtime/clock.ts';
import { startHosted } from '#test/support/hosted.ts';
import { noDetectors } from '#test/support/no-detectors.ts';
import { patience } from '#test/support/patience.ts';
import { query, startPostgres } from '#test/support/postgres.ts';
import { runScript } from '../e2e/process/program.ts';

const rules = 12;

/** Wall ms between two queries, each over its own connection. */
const look = 300;

/** Waits until a condition holds. @throws an error that names it, after too long a time */
async function until(what: string, there: () => Promise<boolean>): Promise<void> {
  for (const begun = wallClock.now(); !(await there()); await wallClock.sleep(look))
    if (wallClock.now() - begun > patience) throw new Error(`not there: ${what}`);
}

const owners = z.array(z.object({ owner: z.string() }));

it('another process judges the rules when the one that did is killed, and each alert comes once', async () => {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-own-rules-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await (await startPostgres()).fresh();
  const market = started.adopt(await startHosted(60), (each) => each.shut());
  let price = 50;
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
  await writeFile(
    join(folder, 'config.yaml'),
    stringify({
      rules: { schedule: '*/30 * * * * *' },
      delivery: { budget: null },
      data: { budget: { limit: 100_000 } },
      detectors: noDetectors,
    }),
  );
  const begin = () =>
    started.use(
      runScript('start', {
        environment: {
          TOCSIN_API_URL: market.url,
          TOCSIN_CONFIG: join(folder, 'config.yaml'),
          TOCSIN_DATABASE_URL: database,
          TOCSIN_HTTP_PORT: '0',
        },
      }),
    );
  const [first, second] = [begin(), begin()];
  const [, page] = await first.says(/Tocsin is on (\S+)/);
  await Promise.all([first, second].map(({ says }) => says(/watching the market/)));

  const holder = async () => {
    const [row] = owners.parse(await query(database, "select owner from lease where role = 'rules'"));
    return row?.owner.split(' ')[1];
  };
  for (let index = 0; index < rules; index += 1) {
    const line = `alert create price.last above=${100 + index} symbols=btc`;
    const answer = await fetch(`${page}/api/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ line, room: 'main' }),
    });
    expect(answer.status).toBe(200);
  }
  /** Returns for each alert of the rules how often it was sent. */
  const sent = async () => {
    const rows = await query(
      database,
      "select alert_id, count(*)::int as times from delivery where outcome = 'sent' and alert_id in (select id from alert where kind = 'own-rule') group by alert_id",
    );
    return z
      .array(z.object({ times: z.number() }))
      .parse(rows)
      .map(({ times }) => times);
  };
  const judgedAt = async (at: number) => {
    const rows = await query(database, "select state from detector where name = 'rules'");
    const facts = z.looseObject({ facts: z.record(z.string(), z.looseObject({ value: z.unknown() })) });
    return rows.every(
      ({ state }) => facts.parse(JSON.parse(String(state))).facts['price.last BTCUSDT']?.value === at,
    );
  };
  await until('the price before', () => judgedAt(50));
  const one = await holder();
  price = 105;
  // The process that holds the role is killed while it may be judging the rules.
  await wallClock.sleep(500);
  process.kill(Number(one), 'SIGKILL');
  await until('the other', async () => (await holder()) !== one);
  await until('the price of now', () => judgedAt(105));
  price = 200;
  await until('the price after', () => judgedAt(200));
  await until('each alert', async () => (await sent()).length === rules);
  expect(await sent()).toEqual(Array(rules).fill(1));
});
