import { sql } from 'kysely';
import type { Database, Migrations } from '../database/database.ts';
import { later } from './later-migrations.ts';
import type { Tables } from './tables.ts';

export const migrations = (dialect: Database<Tables>['dialect']): Migrations => ({
  '2026-11-21-first': {
    async up(db) {
      const serial = (table: string, column: string) => {
        const builder = db.schema.createTable(table);
        return dialect === 'sqlite'
          ? builder.addColumn(column, 'integer', (c) => c.primaryKey().autoIncrement())
          : builder.addColumn(column, 'bigserial', (c) => c.primaryKey());
      };
      await db.schema
        .createTable('detector')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('state', 'text', (c) => c.notNull())
        .addColumn('updated_at', 'bigint', (c) => c.notNull())
        .execute();

      await db.schema
        .createTable('alert')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('fingerprint', 'text', (c) => c.notNull())
        .addColumn('kind', 'text', (c) => c.notNull())
        .addColumn('group_key', 'text', (c) => c.notNull())
        .addColumn('body', 'text', (c) => c.notNull())
        .addColumn('due', 'bigint', (c) => c.notNull())
        .addColumn('only_for', 'text')
        .addColumn('held_by', 'text')
        .addColumn('updated_at', 'bigint', (c) => c.notNull())
        .addColumn('ends_at', 'bigint')
        .execute();
      // That nothing is sent twice depends on there being one open episode per fingerprint, which the database enforces.
      await sql`create unique index alert_open on alert (fingerprint) where ends_at is null`.execute(db);
      await db.schema.createIndex('alert_only').on('alert').column('only_for').execute();
      await db.schema.createIndex('alert_recent').on('alert').column('updated_at').execute();
      await db.schema.createIndex('alert_group').on('alert').column('group_key').execute();

      await serial('dispatch', 'id')
        .addColumn('alert_id', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer', (c) => c.notNull())
        .addColumn('group_key', 'text', (c) => c.notNull())
        .addColumn('body', 'text', (c) => c.notNull())
        .addColumn('due', 'bigint', (c) => c.notNull())
        .addColumn('cursor', 'bigint', (c) => c.notNull())
        .execute();

      await serial('subscription', 'seq')
        .addColumn('id', 'text', (c) => c.notNull().unique())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('kinds', 'text', (c) => c.notNull())
        .addColumn('symbols', 'text', (c) => c.notNull())
        .addColumn('min_severity', 'text', (c) => c.notNull())
        .addColumn('quiet_hours', 'text')
        .addColumn('account', 'text')
        .addColumn('digest', 'text')
        .addColumn('mention', 'text')
        .addColumn('paused', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('created_by', 'text', (c) => c.notNull())
        .addColumn('created_at', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('subscription_receiver').on('subscription').column('receiver').execute();
      await db.schema.createIndex('subscription_account').on('subscription').column('account').execute();

      await db.schema
        .createTable('rule')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('revision', 'bigint', (c) => c.notNull())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('account', 'text', (c) => c.notNull())
        .addColumn('name', 'text')
        .addColumn('condition', 'text', (c) => c.notNull())
        .addColumn('clear', 'text')
        .addColumn('symbols', 'text', (c) => c.notNull())
        .addColumn('hold', 'bigint', (c) => c.notNull())
        .addColumn('mode', 'text', (c) => c.notNull())
        .addColumn('expires_at', 'bigint')
        .addColumn('severity', 'text', (c) => c.notNull())
        .addColumn('paused', 'integer', (c) => c.notNull())
        .addColumn('created_by', 'text', (c) => c.notNull())
        .addColumn('created_at', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('rule_receiver').on('rule').column('receiver').execute();
      await db.schema.createIndex('rule_account').on('rule').column('account').execute();

      await db.schema
        .createTable('account')
        .addColumn('key', 'text', (c) => c.primaryKey())
        .execute();

      await db.schema
        .createTable('watchlist')
        .addColumn('receiver', 'text', (c) => c.primaryKey())
        .addColumn('symbols', 'text', (c) => c.notNull())
        .execute();

      await db.schema
        .createTable('preferences')
        .addColumn('whose', 'text', (c) => c.primaryKey())
        .addColumn('chosen', 'text', (c) => c.notNull())
        .execute();

      await serial('audit', 'id')
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('who', 'text', (c) => c.notNull())
        .addColumn('person', 'text')
        .addColumn('what', 'text', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('audit_receiver').on('audit').columns(['receiver', 'id']).execute();

      await db.schema
        .createTable('silence')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('receiver', 'text')
        .addColumn('notifier', 'text')
        .addColumn('address', 'text')
        .addColumn('kinds', 'text', (c) => c.notNull())
        .addColumn('symbols', 'text', (c) => c.notNull())
        .addColumn('starts_at', 'bigint', (c) => c.notNull())
        .addColumn('ends_at', 'bigint', (c) => c.notNull())
        .addColumn('created_by', 'text', (c) => c.notNull())
        .execute();
      await db.schema
        .createIndex('silence_receiver')
        .on('silence')
        .columns(['receiver', 'ends_at'])
        .execute();

      await serial('outbox', 'id')
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('group_key', 'text', (c) => c.notNull())
        .addColumn('alert_id', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer', (c) => c.notNull())
        .addColumn('urgent', 'integer', (c) => c.notNull())
        .addColumn('due', 'bigint', (c) => c.notNull())
        .addColumn('state', 'integer', (c) => c.notNull())
        .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('fence', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('lease_wall', 'bigint', (c) => c.notNull().defaultTo(0))
        .addColumn('doubt', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('reason', 'text')
        // After a crash expansion may handle the same page again. With this constraint the second time adds nothing.
        .addUniqueConstraint('outbox_once', ['receiver', 'alert_id', 'revision'])
        .execute();
      await sql`create index outbox_ready on outbox (state, urgent desc, id)`.execute(db);
      await db.schema.createIndex('outbox_due').on('outbox').columns(['state', 'due']).execute();

      await db.schema
        .createTable('hold')
        .addColumn('receiver', 'text', (c) => c.primaryKey())
        .addColumn('until_wall', 'bigint', (c) => c.notNull())
        .execute();

      await db.schema
        .createTable('rest')
        .addColumn('receiver', 'text', (c) => c.primaryKey())
        .addColumn('until_wall', 'bigint', (c) => c.notNull())
        .execute();

      await db.schema
        .createTable('post')
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('group_key', 'text', (c) => c.notNull())
        .addColumn('reference', 'text', (c) => c.notNull())
        .addColumn('shown', 'text', (c) => c.notNull())
        .addColumn('unknown', 'integer', (c) => c.notNull())
        .addColumn('updated_at', 'bigint', (c) => c.notNull())
        .addPrimaryKeyConstraint('post_pk', ['receiver', 'group_key'])
        .execute();
      await db.schema.createIndex('post_age').on('post').column('updated_at').execute();

      await serial('delivery', 'id')
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('alert_id', 'text', (c) => c.notNull())
        .addColumn('revision', 'integer', (c) => c.notNull())
        .addColumn('receiver', 'text', (c) => c.notNull())
        .addColumn('notifier', 'text', (c) => c.notNull())
        .addColumn('address', 'text', (c) => c.notNull())
        .addColumn('title', 'text', (c) => c.notNull())
        .addColumn('outcome', 'text', (c) => c.notNull())
        .addColumn('reason', 'text')
        .execute();
      await db.schema.createIndex('delivery_receiver').on('delivery').columns(['receiver', 'id']).execute();
      await db.schema.createIndex('delivery_age').on('delivery').column('at').execute();

      await db.schema
        .createTable('outcome')
        .addColumn('alert_id', 'text', (c) => c.primaryKey())
        .addColumn('market', 'text', (c) => c.notNull())
        .addColumn('kind', 'text', (c) => c.notNull())
        .addColumn('symbol', 'text', (c) => c.notNull())
        .addColumn('claim', 'text', (c) => c.notNull())
        .addColumn('fired_at', 'bigint', (c) => c.notNull())
        .addColumn('due', 'bigint')
        .addColumn('price', 'double precision')
        .addColumn('after_1h', 'double precision')
        .addColumn('after_4h', 'double precision')
        .addColumn('after_24h', 'double precision')
        .addColumn('estimated', 'integer', (c) => c.notNull().defaultTo(0))
        .addColumn('posted', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await db.schema.createIndex('outcome_due').on('outcome').columns(['market', 'due']).execute();
      await db.schema.createIndex('outcome_age').on('outcome').column('fired_at').execute();

      await db.schema
        .createTable('hourly_price')
        .addColumn('market', 'text', (c) => c.notNull())
        .addColumn('symbol', 'text', (c) => c.notNull())
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('price', 'double precision', (c) => c.notNull())
        .addPrimaryKeyConstraint('hourly_price_pk', ['market', 'symbol', 'at'])
        .execute();
      await db.schema.createIndex('hourly_price_age').on('hourly_price').column('at').execute();

      await db.schema
        .createTable('reading')
        .addColumn('market', 'text', (c) => c.notNull())
        .addColumn('feed', 'text', (c) => c.notNull())
        .addColumn('at', 'bigint', (c) => c.notNull())
        .addColumn('body', dialect === 'sqlite' ? 'blob' : 'bytea', (c) => c.notNull())
        .addPrimaryKeyConstraint('reading_pk', ['market', 'feed', 'at'])
        .execute();
      await db.schema.createIndex('reading_age').on('reading').column('at').execute();

      await db.schema
        .createTable('request')
        .addColumn('key', 'text', (c) => c.notNull())
        .addColumn('at', 'bigint', (c) => c.notNull())
        .execute();
      await db.schema.createIndex('request_window').on('request').columns(['key', 'at']).execute();

      await serial('message', 'seq')
        .addColumn('room', 'text', (c) => c.notNull())
        .addColumn('id', 'text', (c) => c.notNull())
        .addColumn('body', 'text', (c) => c.notNull())
        .addUniqueConstraint('message_once', ['room', 'id'])
        .execute();

      await db.schema
        .createTable('setting')
        .addColumn('name', 'text', (c) => c.primaryKey())
        .addColumn('value', 'text', (c) => c.notNull())
        .execute();
    },
  },
  '2026-11-22-outage': {
    async up(db) {
      await db.schema.alterTable('hold').addColumn('outage', 'text').execute();
    },
  },
  '2026-11-22-pointers': {
    async up(db) {
      await db.schema.alterTable('outbox').addColumn('replaced', 'text').execute();
      await db.schema.createIndex('post_group').on('post').columns(['group_key', 'updated_at']).execute();
    },
  },
  '2026-11-22-told-at-peak': {
    // Alerts stored before this migration do not say what they said at their peak: what they say at present is the best
    // known.
    async up(db) {
      const rows = await db.selectFrom('alert').select(['id', 'body']).execute();
      for (const { id, body } of rows) {
        const { annotations, status, ...alert } = JSON.parse(body);
        if ('event' in alert) continue;
        const { chart: _, ...event } = annotations;
        const { title, summary } = annotations;
        const end = status === 'resolved' ? { title, summary } : null;
        const whole = JSON.stringify({ ...alert, annotations, status, event, end });
        await db.updateTable('alert').set({ body: whole }).where('id', '=', id).execute();
      }
    },
  },
  '2026-11-22-urgent-dispatch': {
    async up(db) {
      await db.schema
        .alterTable('dispatch')
        .addColumn('urgent', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    },
  },
  ...later(dialect),
});
