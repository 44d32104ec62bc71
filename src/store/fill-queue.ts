import { sql } from 'kysely';
import type { Migrations } from '../database/database.ts';
import { never } from './queue.ts';

/** Fills the queue from the messages that wait when the queue is added. */
export async function fillQueue(db: Parameters<Migrations[string]['up']>[0]): Promise<void> {
  await sql`insert into queue (receiver, notifier, urgency, ready)
    select receiver, min(notifier),
      max(case when urgent = 1 then 2 when revision = 1 and replaced is null then 1 else 0 end), min(due)
    from outbox group by receiver`.execute(db);
  await sql`update queue set held = ${never}, ready = ${never} where receiver in (select receiver from rest)`.execute(
    db,
  );
  const doubtful = await db
    .selectFrom('outbox')
    .select(['receiver', 'group_key', 'alert_id', 'revision'])
    .where('doubt', '=', 2)
    .where('replaced', 'is', null)
    .orderBy('revision')
    .execute();
  for (const [receiver, rows] of Map.groupBy(doubtful, (row) => row.receiver)) {
    const group = rows[0]?.group_key;
    const own = rows.filter(({ group_key }) => group_key === group);
    const shown = Object.fromEntries(own.map(({ alert_id, revision }) => [alert_id, revision]));
    const begun = JSON.stringify({ group, shown, unknown: false });
    await db.updateTable('queue').set({ begun }).where('receiver', '=', receiver).execute();
  }
}
