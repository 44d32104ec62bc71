import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#src/database/open.ts';
import { migrations } from '#src/store/migrations.ts';
import type { Tables } from '#src/store/tables.ts';
import { ownFolder } from '#test/support/folder.ts';
import { ownStore } from '#test/support/own-store.ts';

it('the backlog is counted up to 10,000, and a larger one is reported as such', async () => {
  const url = `file:${await ownFolder()}/bot.db`;
  const store = await ownStore(url);
  const database = await openDatabase<Tables>(url, { migrations });
  onTestFinished(() => database.close());
  const wait = (from: number, to: number) =>
    sql`
      with recursive n(x) as (select ${from} union all select x + 1 from n where x < ${to})
      insert into outbox (receiver, notifier, address, group_key, alert_id, revision, urgent, due)
      select 'r' || x, 'web', '{}', 'g', 'a', 1, 0, 7 from n
    `.execute(database.db);
  await wait(1, 10_000);
  expect(await store.outbox.backlog()).toEqual({ waiting: 10_000, oldest: 7 });
  await wait(10_001, 10_001);
  expect(await store.outbox.backlog()).toEqual({ waiting: 10_000, more: true, oldest: 7 });
});
