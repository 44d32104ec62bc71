import { sql } from 'kysely';
import type { Dialect, Migrations } from '../database/database.ts';
import { fillQueue } from './fill-queue.ts';
import { intern } from './intern-matchers.ts';
import { ledgers } from './record-rows.ts';

/** The migrations since the first release, in their order. They have run on people's databases. */
export const later = (dialect: Dialect): Migrations => ({
  '2026-11-23-attention': {
    async up(db) {
      await db.schema
        .alterTable('delivery')
        .addColumn('interrupts', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await sql`create index delivery_interrupting on delivery (receiver, at) where interrupts = 1`.execute(
        db,
      );
    },
  },
  '2026-11-23-chain': {
    // Rows are never deleted from this table: a head that was posted years ago must still be found.
    async up(db) {
      await db.schema
        .createTable('chain')
        .addColumn('n', 'bigint', (c) => c.primaryKey())
        .addColumn('body', 'text', (c) => c.notNull())
        .addColumn('hash', 'text', (c) => c.notNull())
        .execute();
    },
  },
  // Adds a queue with a row per receiver, and roles with leases, in place of states, leases and fences of single rows.
  '2026-11-23-queue': {
    async up(db) {
      await db.schema
        .createTable('lease')
        .addColumn('role', 'text', (c) => c.primaryKey())
        .addColumn('owner', 'text', (c) => c.notNull())
        .addColumn('token', 'bigint', (c) => c.notNull())
        .addColumn('until', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema
        .createTable('queue')
        .addColumn('receiver', 'text', (c) => c.primaryKey())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('urgency', 'integer', (c) => c.notNull())
        .addColumn('ready', 'bigint', (c) => c.notNull())
        .addColumn('held', 'bigint', (c) => c.notNull().defaultTo(0))
        .addColumn('token', 'bigint')
        .addColumn('begun', 'text')
        .execute();
      await sql`create index queue_next on queue (notifier, urgency, ready, receiver) where token is null`.execute(
        db,
      );
      await fillQueue(db);
      await db.schema.dropTable('hold').execute();
      for (const index of ['outbox_ready', 'outbox_due']) await db.schema.dropIndex(index).execute();
      for (const column of ['state', 'fence', 'lease_wall', 'doubt'])
        await db.schema.alterTable('outbox').dropColumn(column).execute();
    },
  },
  '2026-11-24-missing': {
    async up(db) {
      await db.schema
        .alterTable('rest')
        .addColumn('tried', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  '2026-11-24-restored': {
    async up(db) {
      await db.schema
        .alterTable('dispatch')
        .addColumn('doubtful', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  // Ids that a distributed database gives do not ascend from row to row, so tables that have an order get a column for it.
  '2026-11-25-order': {
    async up(db) {
      for (const table of ['dispatch', 'message'])
        await db.schema
          .alterTable(table)
          .addColumn('at', 'bigint', (c) => c.notNull().defaultTo(0))
          .execute();
      for (const table of ['delivery', 'audit']) {
        await db.schema.dropIndex(`${table}_receiver`).execute();
        await db.schema.createIndex(`${table}_receiver`).on(table).columns(['receiver', 'at']).execute();
      }
    },
  },
  '2026-11-25-plain-names': {
    // Quotes within a JSON string are stored with a backslash before them, so only names of properties match.
    async up(db) {
      for (const table of ['alert', 'dispatch'])
        await sql`update ${sql.table(table)} set body = replace(body, '"roused":', '"newsRevision":')`.execute(
          db,
        );
      await sql`update detector set state = replace(state, '"told":', '"alert":') where name = 'own-rule'`.execute(
        db,
      );
      await sql`update detector set state = replace(state, '"told":', '"announced":') where name = 'price-level'`.execute(
        db,
      );
      for (const [before, after] of renamedReasons)
        await sql`update delivery set reason = replace(reason, ${before}, ${after}) where reason is not null`.execute(
          db,
        );
    },
  },
  '2026-11-26-doubtful-rows': {
    async up(db) {
      await db.schema
        .alterTable('outbox')
        .addColumn('doubtful', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  // The state of own rules is divided by shards. What one detector had becomes the state of the first shard, the only one
  // until the state is divided again.
  '2026-11-26-rule-shards': {
    async up(db) {
      await sql`insert into detector (name, state, updated_at)
        select 'rules:0', state, updated_at from detector where name = 'own-rule'`.execute(db);
    },
  },
  // Stores what subscriptions ask for once each, so that an alert is compared with thousands of matchers, not with millions
  // of subscriptions.
  '2026-11-27-matchers': {
    async up(db) {
      const matcher = db.schema.createTable('matcher');
      await (dialect === 'sqlite'
        ? matcher.addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
        : matcher.addColumn('id', 'bigserial', (c) => c.primaryKey())
      )
        .addColumn('key', 'text', (c) => c.notNull().unique())
        .addColumn('kinds', 'text', (c) => c.notNull())
        .addColumn('symbols', 'text', (c) => c.notNull())
        .addColumn('min_severity', 'text', (c) => c.notNull())
        .addColumn('wanted', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.alterTable('subscription').addColumn('matcher', 'bigint').execute();
      await intern(db);
      await sql`create index subscription_matcher on subscription (matcher, seq) where matcher is not null`.execute(
        db,
      );
      // A cursor over subscriptions says nothing about matchers, so dispatches begin again; no receiver is told twice.
      await db.schema
        .alterTable('dispatch')
        .addColumn('matcher', 'bigint', (c) => c.notNull().defaultTo(0))
        .execute();
      await sql`update dispatch set cursor = 0`.execute(db);
      await sql`create index alert_firing on alert (kind) where ends_at is null`.execute(db);
      // Most alerts are for all subscribers. The index leaves them out: with them it would narrow nothing down.
      await db.schema.dropIndex('alert_only').execute();
      await sql`create index alert_only on alert (only_for) where only_for is not null`.execute(db);
      // The index does not contain the receiver, so that new entries are written at its end and not all over it.
      await db.schema.createIndex('outbox_due').on('outbox').column('due').execute();
    },
  },
  '2026-11-28-api-keys': {
    async up(db) {
      await db.schema
        .createTable('api_key')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('digest', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('scopes', 'text', (c) => c.notNull())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('created_wall', 'bigint', (c) => c.notNull())
        .addColumn('revoked_wall', 'bigint')
        .addColumn('requests', 'bigint', (c) => c.notNull().defaultTo(0))
        .addColumn('used_wall', 'bigint')
        .execute();
      await db.schema.createIndex('api_key_receiver').on('api_key').column('receiver').execute();
    },
  },
  '2026-11-28-hooks': {
    async up(db) {
      await db.schema
        .createTable('hook')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('account', 'text', (c) => c.notNull())
        .addColumn('name', 'text', (c) => c.notNull())
        .addColumn('secret', 'text', (c) => c.notNull())
        .addColumn('template', 'text', (c) => c.notNull())
        .addColumn('severity', 'text', (c) => c.notNull())
        .addColumn('lasts', 'bigint')
        .addColumn('created_by', 'text', (c) => c.notNull())
        .addColumn('created_at', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('hook_receiver').on('hook').column('receiver').execute();
      await db.schema.createIndex('hook_account').on('hook').column('account').execute();
      await db.schema
        .createTable('hook_inbox')
        .addColumn('hook', 'text', (c) => c.notNull())
        .addColumn('key', 'text', (c) => c.notNull())
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('market', 'bigint', (c) => c.notNull())
        .addColumn('body', 'text', (c) => c.notNull())
        .addColumn('done', 'integer', (c) => c.notNull())
        .addPrimaryKeyConstraint('hook_inbox_key', ['hook', 'key'])
        .execute();
      await sql`create index hook_inbox_waiting on hook_inbox (at) where done = 0`.execute(db);
    },
  },
  '2026-11-29-files': {
    async up(db) {
      for (const table of ['subscription', 'rule']) {
        await db.schema.alterTable(table).addColumn('file', 'text').execute();
        await sql`create index ${sql.ref(`${table}_file`)} on ${sql.table(table)} (file) where file is not null`.execute(
          db,
        );
      }
    },
  },
  '2026-11-30-statistics': {
    async up(db) {
      if (dialect === 'sqlite') return;
      await sql`savepoint statistics`.execute(db);
      try {
        await showLikelyRows(db);
      } catch {
        // Other databases that speak the language of Postgres may refuse this. They stay as they were.
        await sql`rollback to savepoint statistics`.execute(db);
      }
    },
  },
  '2026-12-01-moved': {
    async up(db) {
      await db.schema
        .alterTable('subscription')
        .addColumn('moved', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await sql`create index subscription_moved on subscription (seq) where moved = 1`.execute(db);
    },
  },
  '2026-12-02-filed-watchlists': {
    async up(db) {
      await db.schema.alterTable('watchlist').addColumn('file', 'text').execute();
      await sql`create index watchlist_file on watchlist (file) where file is not null`.execute(db);
    },
  },
  '2026-12-03-receiver-order': {
    up: (db) => db.schema.alterTable('dispatch').addColumn('receiver', 'text').execute(),
  },
  '2026-12-04-hook-bodies': {
    up: (db) => db.schema.alterTable('hook').addColumn('recent', 'text').execute(),
  },
  '2026-12-05-ledgers': ledgers(dialect),
});

const renamedReasons = [
  ['"code":"already_told"', '"code":"already_sent"'],
  ['"code":"told_at_once"', '"code":"sent_at_once"'],
  ['"code":"beginning_not_told"', '"code":"start_not_sent"'],
] as const;

/**
 * Postgres has no statistics of a table until it has analysed its rows, up to a minute after they were inserted, and until
 * then reads all of it to find a few. Statistics stay even if it is empty: so the first alert to many is as fast as later ones.
 */
async function showLikelyRows(db: Parameters<Migrations[string]['up']>[0]): Promise<void> {
  const many = sql`generate_series(1, 100) as n`;
  await sql`insert into outbox (receiver, notifier, address, group_key, alert_id, revision, urgent, due)
    select 'likely' || n, '', '', '', '', 1, 0, 0 from ${many}`.execute(db);
  await sql`insert into queue (receiver, notifier, urgency, ready)
    select 'likely' || n, '', 1, 0 from ${many}`.execute(db);
  await sql`insert into post (receiver, group_key, reference, shown, unknown, updated_at)
    select 'likely' || n, '', '', '{}', 0, 0 from ${many}`.execute(db);
  for (const table of ['outbox', 'queue', 'post']) {
    await sql`analyze ${sql.table(table)}`.execute(db);
    await sql`delete from ${sql.table(table)} where receiver like 'likely%'`.execute(db);
  }
}
