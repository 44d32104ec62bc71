import { type RawBuilder, sql } from 'kysely';
import { receiverKey } from '#src/alert/subscription.ts';
import { openDatabase } from '#src/database/open.ts';
import { matcherKey } from '#src/store/matchers.ts';
import { alertRow, receiverColumns } from '#src/store/rows.ts';
import { migrations, type Tables } from '#src/store/tables.ts';
import { change, firing } from '#test/support/alerts.ts';
import { receiverOf } from './subscriptions.ts';

/** Number of different matchers; each wants the first symbol, and others. */
const matchers = 3_000;
const markets = 400;

/** Number of stored alerts that have ended, and that fire. */
const [ended, open] = [100_000, 300];

/** Writes subscriptions by SQL statements that generate their rows, because a million single inserts take minutes. */
export async function keepMillion(url: string, count: number): Promise<void> {
  const { db, dialect, transaction, close } = await openDatabase<Tables>(url, { migrations });
  await transaction(async (trx) => {
    for (let id = 1; id <= matchers; id += 1) {
      const others = [id % markets, Math.floor(id / markets)].map((market) => `T${market}USDT`);
      const symbols = JSON.stringify(['S0USDT', ...new Set(others)]);
      const texts = { kinds: '["*"]', symbols, min_severity: 'info' };
      const wanted = Math.floor(count / matchers) + (id <= count % matchers ? 1 : 0);
      await trx
        .insertInto('matcher')
        .values({ id, key: matcherKey(texts), ...texts, wanted })
        .execute();
    }
    for (const rows of parts(count))
      await sql`insert into subscription
        (id, receiver, notifier, address, kinds, symbols, min_severity, matcher, created_by, created_at)
        select 's' || i, ${key}, 'discord', ${address}, matcher.kinds, matcher.symbols, matcher.min_severity, matcher.id, 'bench', 0
        from ${rows} join matcher on matcher.id = i % ${matchers} + 1`.execute(trx);
  });
  if (dialect === 'postgres') {
    // The ids above were given explicitly, so that the next matcher of the store would get one of them.
    await sql`select setval(pg_get_serial_sequence('matcher', 'id'), ${matchers})`.execute(db);
    await sql`analyze`.execute(db);
  }
  await close();
}

/** Writes the state after an alert to all subscriptions while their platform cannot be reached. */
export async function keepWaiting(url: string, count: number): Promise<void> {
  const { db, dialect, transaction, close } = await openDatabase<Tables>(url, { migrations });
  const alert = firing(change({ symbol: 'S0USDT' }));
  await transaction(async (trx) => {
    for (const rows of parts(count)) {
      await sql`insert into outbox (receiver, notifier, address, group_key, alert_id, revision, urgent, due)
        select ${key}, 'discord', ${address}, 'g', ${alert.id}, 1, 0, 0 from ${rows}`.execute(trx);
      await sql`insert into queue (receiver, notifier, urgency, ready)
        select ${key}, 'discord', 1, 0 from ${rows}`.execute(trx);
    }
    for (let n = 0; n < open; n += 1)
      await trx
        .insertInto('alert')
        .values(
          alertRow({
            alert: n === 0 ? alert : firing(change({ symbol: `T${n}USDT` })),
            group: 'g',
            due: 0,
            heldBy: null,
          }),
        )
        .execute();
    const {
      id: _,
      fingerprint: __,
      ...row
    } = { ...alertRow({ alert, group: 'g', due: 0, heldBy: null }), ends_at: 1 };
    for (const rows of parts(ended))
      await sql`insert into alert (id, fingerprint, kind, group_key, body, due, updated_at, ends_at)
        select 'e' || i, 'f' || i, ${row.kind}, 'g', ${row.body}, 0, ${row.updated_at}, 1 from ${rows}`.execute(
        trx,
      );
  });
  if (dialect === 'postgres') await sql`analyze`.execute(db);
  await close();
}

const example = receiverColumns(receiverOf(0));
/** SQL of what the store would write about receiver `i`. */
const key = textOf(receiverKey(receiverOf(0)));
const address = textOf(example.address);

function textOf(first: string): RawBuilder<string> {
  const [before, after] = first.split('0');
  return sql<string>`${sql.lit(before)} || i || ${sql.lit(after)}`;
}

/** Rows of one statement; a database cancels a statement that takes too long. */
const atOnce = 100_000;

/** Yields tables of the numbers `i` from 0 to `count` − 1, in parts. */
function* parts(count: number): Iterable<RawBuilder<unknown>> {
  for (let begin = 0; begin < count; begin += atOnce) {
    const [first, last] = [sql.lit(begin), sql.lit(Math.min(count, begin + atOnce) - 1)];
    yield sql`(with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
      select i from n) as numbers`;
  }
}
