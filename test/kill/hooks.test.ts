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

/** Wall ms between two queries, each over its own connection. */
const look = 300;

/** Waits until a condition holds. @throws an error that names it, after too long a time */
async function until(what: string, there: () => Promise<boolean>): Promise<void> {
  for (const begun = wallClock.now(); !(await there()); await wallClock.sleep(look))
    if (wallClock.now() - begun > patience) throw new Error(`not there: ${what}`);
}

const facts = z.object({ facts: z.array(z.object({ name: z.string(), value: z.string() })) });

it('a hook request that any process answered with 202 is sent once, although the watching process is killed', async () => {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-hooks-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await (await startPostgres()).fresh();
  const market = started.adopt(await startHosted(60), (each) => each.shut());
  await writeFile(
    join(folder, 'config.yaml'),
    stringify({ delivery: { budget: null }, data: { budget: { limit: 100_000 } }, detectors: noDetectors }),
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
  const bots = [begin(), begin()];
  const pages = await Promise.all(bots.map(async ({ says }) => (await says(/Tocsin is on (\S+)/))[1] ?? ''));
  await Promise.all(bots.map(({ says }) => says(/watching the market/)));
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };

  const created = await fetch(`${pages[0]}/api/commands`, {
    ...json,
    body: JSON.stringify({ line: 'hook create breakouts', room: 'main' }),
  });
  const { card } = z.object({ card: facts }).parse(await created.json());
  const address = card.facts.find(({ name }) => name === 'Address')?.value ?? '';
  const bring = async (page: string | undefined, body: object) =>
    (await fetch(`${page}${address}`, { ...json, body: JSON.stringify(body) })).status;

  const titles = async () =>
    (
      await query(
        database,
        "select title from delivery where outcome = 'sent' and alert_id in (select id from alert where kind like 'hook/%') order by title",
      )
    ).map(({ title }) => JSON.parse(String(title)));
  const owners = await query(database, "select owner from lease where role = 'watch'");
  const pid = Number(String(owners[0]?.owner).split(' ')[1]);

  expect(await bring(pages[0], { alert: 'A' })).toBe(202);
  expect(await bring(pages[1], { alert: 'A' })).toBe(200);
  await until('the first', async () => (await titles()).length === 1);
  const answers = await Promise.all([
    bring(pages[0], { alert: 'B' }),
    bring(pages[1], { alert: 'C' }),
    bring(pages[0], { alert: 'D' }),
  ]);
  expect(answers).toEqual([202, 202, 202]);
  process.kill(pid, 'SIGKILL');
  await until('all of them', async () => (await titles()).length === 4);
  // A sender that got no response tries again.
  const again = await Promise.all(pages.map((page) => bring(page, { alert: 'B' }).catch(() => 0)));
  expect(again.toSorted()).toEqual([0, 200]);
  expect(await titles()).toEqual(['A', 'B', 'C', 'D']);
  expect(await query(database, 'select key from hook_inbox where done = 0')).toEqual([]);
});
