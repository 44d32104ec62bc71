import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { headText } from '#src/alert/chain.ts';
import { kindOfHook } from '#src/alert/hook.ts';
import { runVerify } from '#src/app/cli/verify.ts';
import { stepHeads } from '#src/app/heads.ts';
import { openDatabase } from '#src/database/open.ts';
import { InputError } from '#src/runtime/errors.ts';
import { day } from '#src/runtime/units.ts';
import { migrations } from '#src/store/migrations.ts';
import { openStore } from '#src/store/open.ts';
import type { Tables } from '#src/store/tables.ts';
import { firing, start } from '#test/support/alerts.ts';
import { onPostgres } from '#test/support/databases.ts';
import { ownFolder } from '#test/support/folder.ts';
import { type LinkProof, rootBy } from '#test/support/hash-path.ts';
import { post } from '#test/support/posting.ts';

let folder: string;
let url: string;
beforeEach(async () => {
  folder = await ownFolder();
  url = `file:${join(folder, 'bot.db')}`;
});

/** Announces alerts of three markets and returns the head. */
async function announced() {
  const store = await openStore(url);
  // An alert of a hook is for one place alone, and has an outcome.
  const only = { notifier: 'web', address: { room: 'a' } };
  const signal = { ...firing({ kind: kindOfHook('abcd2345') }), only };
  await store.dispatch((unit) =>
    unit.followPrice(signal, { market: 'm', symbol: 'BTCUSDT', prediction: 'move' }),
  );
  await post(store, signal);
  for (const symbol of ['BTCUSDT', 'ETHUSDT', 'SOLUSDT']) {
    const alert = firing({ symbol });
    await store.dispatch(async (unit) => {
      await unit.announce({ alert, group: alert.id, due: start, heldBy: null });
      await unit.followPrice(alert, { market: 'm', symbol, prediction: 'move' });
    });
  }
  const own = { ...firing({ symbol: 'XRPUSDT' }), only };
  await store.dispatch((unit) => unit.announce({ alert: own, group: own.id, due: start, heldBy: null }));
  const head = await store.chain.head();
  await store.close();
  return head;
}
async function verify(of: string, given: { heads?: string; write?: string; proof?: string } = {}) {
  let said = '';
  const print = async (text: string) => {
    said += text;
  };
  const holds = await runVerify({ source: of, database: async () => url, ...given, print });
  return { holds, said };
}
async function tamper(statement: ReturnType<typeof sql>) {
  const database = await openDatabase<Tables>(url, { migrations });
  await statement.execute(database.db);
  await database.close();
}
const heads = async (...texts: string[]) => {
  const path = join(folder, 'heads.txt');
  await writeFile(path, texts.join('\n'));
  return path;
};

function holdsOrIsSeen(fresh: () => Promise<string>): void {
  beforeEach(async () => {
    url = await fresh();
  });

  it('announced alerts verify, in the database and in an export of it', async () => {
    const head = await announced();
    expect(head.n).toBe(3);
    const given = { heads: await heads(headText(head)), write: join(folder, 'export.jsonl') };
    expect(await verify(url, given)).toMatchObject({
      holds: true,
      said: expect.stringContaining('1 of 1 posted heads'),
    });
    expect((await readFile(given.write, 'utf8')).trim().split('\n')).toHaveLength(3);
    expect(await verify(given.write, { heads: given.heads })).toMatchObject({ holds: true });
  });

  it.each([
    [
      'an alert is changed',
      sql`update chain set body = replace(body, 'BTC', 'DOGE') where n = 1`,
      'link 1 or an earlier one was changed',
    ],
    ['a bad one is left out', sql`delete from chain where n = 2`, 'link 2 is missing'],
    ['the last are cut off', sql`delete from chain where n = 3`, 'the chain ends at 2'],
    [
      'a good one is put into the record',
      sql`insert into outcome (alert_id, market, kind, symbol, prediction, fired_at, posted)
        values ('made', 'm', 'price-move', 'BTCUSDT', 'up', ${start + day}, 1)`,
      'but no such alert was announced',
    ],
  ])('verification detects that %s', async (_, statement, problem) => {
    const head = await announced();
    await tamper(statement);
    const { holds, said } = await verify(url, { heads: await heads(headText(head)) });
    expect(said).toContain(problem);
    expect(holds).toBe(false);
  });
}
describe('the chain on sqlite', () => holdsOrIsSeen(async () => `file:${join(folder, 'bot.db')}`));
onPostgres('the chain', holdsOrIsSeen);

it('a rewritten chain does not match the posted head', async () => {
  await announced();
  const other = { n: 3, hash: 'f'.repeat(64) };
  expect((await verify(url, { heads: await heads(headText(other)) })).said).toContain('was rewritten');
});

it('a link that was made unreadable is a problem and not an error', async () => {
  await announced();
  await tamper(sql`update chain set body = 'nothing' where n = 2`);
  const { holds, said } = await verify(url);
  expect(holds).toBe(false);
  expect(said).toContain('PROBLEM  link 2 or an earlier one was changed');
  expect(said).toContain('PROBLEM  link 2 holds no announcement and no ledger');
});

it('a database may be named by the path of its file, as a backup is', async () => {
  url = `file:${join(folder, 'bot.db')}`;
  const head = await announced();
  const { holds, said } = await verify(join(folder, 'bot.db'));
  expect(said).toContain(`the head is ${headText(head)}`);
  expect(holds).toBe(true);
});

it('an export that cannot be written is named', async () => {
  await announced();
  await expect(verify(url, { write: join(folder, 'none', 'export') })).rejects.toThrow(
    /^--write: .*none\/export cannot be written \(ENOENT\): is the path right\?$/,
  );
});

it('a text without a head and a file without links are reported', async () => {
  await announced();
  await expect(verify(url, { heads: await heads('nothing') })).rejects.toThrow(InputError);
  await expect(verify(join(folder, 'none'))).rejects.toThrow(InputError);
  expect((await verify(await heads('{}'))).said).toContain('line 1');
});

it('a head is posted once a day, ends the one before, waits for new announcements, and for no day of a wrong clock', () => {
  const only = { notifier: 'web', address: { room: 'main' } };
  const head = { n: 4, hash: 'a'.repeat(64) };
  expect(stepHeads(undefined, { head: { n: 0, hash: '' }, now: start, only })).toBeUndefined();
  const first = stepHeads(undefined, { head, now: start, only });
  expect(first?.changes).toMatchObject([{ status: 'firing', only, severity: 'info' }]);
  expect(JSON.stringify(first?.changes)).toContain(headText(head));
  expect(stepHeads(first?.state, { head: { ...head, n: 9 }, now: start + 1, only })).toBeUndefined();
  expect(stepHeads(first?.state, { head, now: start + day, only })).toBeUndefined();
  const next = stepHeads(first?.state, { head: { ...head, n: 9 }, now: start + day, only });
  expect(next?.changes.map(({ status, labels }) => [status, labels.day])).toEqual([
    ['resolved', first?.changes[0]?.labels.day],
    ['firing', String(Math.floor((start + day) / day))],
  ]);
  const stepBack = (by: number) =>
    stepHeads(next?.state, { head: { ...head, n: 10 }, now: start + day - by, only });
  expect(stepBack(day)).toBeUndefined();
  expect(stepBack(2 * day)?.changes).toMatchObject([{ status: 'resolved' }, { status: 'firing' }]);
});

it('a proof leads from one alert to the head that was posted first after it', async () => {
  await announced();
  const store = await openStore(url);
  const posted = await store.chain.posted();
  const alert = firing({ symbol: 'DOGEUSDT' });
  await store.dispatch((unit) => unit.announce({ alert, group: alert.id, due: start, heldBy: null }));
  const later = await store.chain.posted();
  await store.close();
  const proofOf = async (id: string) => {
    const { said } = await verify(url, {
      heads: await heads(`${headText(posted)}\n${headText(later)}`),
      proof: id,
    });
    return JSON.parse(said.split('\n').find((line) => line.startsWith('{')) ?? '') as LinkProof;
  };
  const first = JSON.parse((await firstLink()).body) as { id: string };
  expect((await proofOf(first.id)).size).toBe(posted.n);
  expect(rootBy(await proofOf(first.id))).toBe(posted.root);
  expect(rootBy(await proofOf(alert.id))).toBe(later.root);
  await expect(verify(url, { proof: 'unknown' })).rejects.toThrow('no alert unknown was announced');
});

async function firstLink() {
  const database = await openDatabase<Tables>(url, { migrations });
  const link = await database.db.selectFrom('chain').selectAll().orderBy('n').executeTakeFirstOrThrow();
  await database.close();
  return link;
}
