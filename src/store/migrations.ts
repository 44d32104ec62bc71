import { sql } from 'kysely';
import type { Dialect, Migrations } from '../database/database.ts';

/** The tables of version 1.0. Databases of people have them: what comes later is a migration of its own, after this one. */
export const migrations = (dialect: Dialect): Migrations => ({
  'bot 1.0': {
    async up(db) {
      for (const statement of tables(dialect)) await sql.raw(statement).execute(db);
      if (dialect === 'postgres') await showLikelyRows(db);
    },
  },
});

/**
 * Returns the statements that create the tables. Their types are read alike by both databases: `bigint` and `double precision`
 * are 8-byte numbers on Postgres, and have INTEGER and REAL affinity on SQLite.
 */
const tables = (dialect: Dialect): readonly string[] => {
  const serial = dialect === 'sqlite' ? 'integer primary key autoincrement' : 'bigserial primary key';
  const bytes = dialect === 'sqlite' ? 'blob' : 'bytea';
  return [
    'create table detector (name text primary key, state text not null, updated_at bigint not null)',

    `create table alert (id text primary key, fingerprint text not null, kind text not null, group_key text not null,
      body text not null, due bigint not null, only_for text, held_by text, updated_at bigint not null, ends_at bigint)`,
    // That nothing is sent twice depends on there being one open episode per fingerprint, which the database enforces.
    'create unique index alert_open on alert (fingerprint) where ends_at is null',
    'create index alert_firing on alert (kind) where ends_at is null',
    // Most alerts are for all subscribers. The index leaves them out: with them it would narrow nothing down.
    'create index alert_only on alert (only_for) where only_for is not null',
    'create index alert_recent on alert (updated_at)',
    'create index alert_group on alert (group_key)',

    `create table dispatch (id ${serial}, alert_id text not null, revision integer not null, group_key text not null,
      body text not null, due bigint not null, at bigint not null, matcher bigint not null default 0,
      receiver text not null default '', cursor bigint not null default 0, urgent integer not null, doubtful integer not null default 0)`,

    `create table matcher (id ${serial}, key text not null unique, kinds text not null, symbols text not null,
      min_severity text not null, wanted bigint not null)`,

    `create table subscription (seq ${serial}, id text not null unique, receiver text not null, notifier text not null,
      address text not null, kinds text not null, symbols text not null, min_severity text not null, matcher bigint,
      quiet_hours text, account text, digest text, mention text, style text, paused integer not null default 0,
      created_by text not null, created_at bigint not null, file text, moved integer not null default 0)`,
    'create index subscription_receiver on subscription (receiver)',
    'create index subscription_account on subscription (account)',
    'create index subscription_matcher on subscription (matcher, receiver, seq) where matcher is not null',
    'create index subscription_moved on subscription (seq) where moved = 1',
    'create index subscription_file on subscription (file) where file is not null',

    `create table rule (id text primary key, revision bigint not null, receiver text not null, notifier text not null,
      address text not null, account text not null, name text, condition text not null, clear text,
      symbols text not null, hold bigint not null, mode text not null, expires_at bigint, severity text not null,
      paused integer not null, created_by text not null, created_at bigint not null, file text, position text)`,
    'create index rule_receiver on rule (receiver)',
    'create index rule_account on rule (account)',
    'create index rule_file on rule (file) where file is not null',

    `create table hook (id text primary key, receiver text not null, notifier text not null, address text not null,
      account text not null, name text not null, secret text not null, template text not null, severity text not null,
      lasts bigint, calls bigint, created_by text not null, created_at bigint not null, recent text)`,
    'create index hook_receiver on hook (receiver)',
    'create index hook_account on hook (account)',

    `create table hook_inbox (hook text not null, key text not null, at bigint not null, market bigint not null,
      body text not null, done integer not null, primary key (hook, key))`,
    'create index hook_inbox_waiting on hook_inbox (at) where done = 0',

    `create table api_key (id text primary key, digest text not null, name text not null, scopes text not null,
      receiver text not null, notifier text not null, address text not null, created_wall bigint not null,
      revoked_wall bigint, requests bigint not null default 0, used_wall bigint)`,
    'create index api_key_receiver on api_key (receiver)',

    `create table living_board (id text primary key, receiver text not null, notifier text not null, address text not null,
      account text not null, line text not null, form text not null, daily text, created_by text not null,
      created_at bigint not null, turn integer not null default 0, begun integer not null default 0, reference text,
      shown text, pinned integer not null default 0, renewed_at bigint, due bigint, ended integer not null default 0)`,
    'create index living_board_receiver on living_board (receiver)',
    'create index living_board_notifier on living_board (notifier)',
    'create index living_board_account on living_board (account)',

    'create table account (key text primary key)',

    'create table watchlist (receiver text primary key, symbols text not null, file text)',
    'create index watchlist_file on watchlist (file) where file is not null',

    'create table preferences (whose text primary key, chosen text not null)',

    `create table audit (id ${serial}, at bigint not null, receiver text not null, notifier text not null,
      who text not null, person text, what text not null)`,
    'create index audit_receiver on audit (receiver, at)',
    'create index audit_person on audit (person, at) where person is not null',

    `create table silence (id text primary key, receiver text not null, notifier text not null, address text not null,
      kinds text not null, symbols text not null, starts_at bigint not null, ends_at bigint not null,
      created_by text not null)`,
    'create index silence_receiver on silence (receiver, ends_at)',

    `create table price_call (id text primary key, receiver text not null, notifier text not null, address text not null,
      symbol text not null, side text not null, horizon bigint not null, made_at bigint not null, created_by text not null,
      name text not null)`,
    'create index price_call_receiver on price_call (receiver, made_at)',
    'create index price_call_age on price_call (made_at)',

    // After a crash expansion may handle the same page again. With the unique key the second time adds nothing.
    `create table outbox (id ${serial}, receiver text not null, notifier text not null, address text not null,
      group_key text not null, alert_id text not null, revision integer not null, urgent integer not null,
      due bigint not null, attempts integer not null default 0, reason text, replaced text,
      doubtful integer not null default 0,
      constraint outbox_once unique (receiver, alert_id, revision))`,
    // The index does not contain the receiver, so that new entries are written at its end and not all over it.
    'create index outbox_due on outbox (due)',

    `create table queue (receiver text primary key, notifier text not null, urgency integer not null,
      ready bigint not null, held bigint not null default 0, token bigint, begun text)`,
    'create index queue_next on queue (notifier, urgency, ready, receiver) where token is null',

    `create table rest (receiver text primary key, until_wall bigint not null, tried integer not null default 0)`,

    `create table post (receiver text not null, group_key text not null, reference text not null, shown text not null,
      unknown integer not null, updated_at bigint not null, constraint post_pk primary key (receiver, group_key))`,
    'create index post_age on post (updated_at)',
    'create index post_group on post (group_key, updated_at)',

    `create table delivery (id ${serial}, at bigint not null, alert_id text not null, revision integer not null,
      receiver text not null, notifier text not null, address text not null, title text not null,
      outcome text not null, reason text, interrupts integer not null default 0)`,
    'create index delivery_receiver on delivery (receiver, at)',
    'create index delivery_age on delivery (at)',
    'create index delivery_interrupting on delivery (receiver, at) where interrupts = 1',

    // Rows are never deleted from this table: a head that was posted years ago must still be found.
    'create table chain (n bigint primary key, body text not null, hash text not null)',
    `create table to_chain (id ${serial}, body text not null)`,

    `create table outcome (alert_id text primary key, market text not null, kind text not null, symbol text not null,
      prediction text not null, fired_at bigint not null, due bigint, price double precision, after_1h double precision,
      after_4h double precision, after_24h double precision, estimated integer not null default 0,
      posted integer not null default 0)`,
    'create index outcome_due on outcome (market, due)',
    'create index outcome_age on outcome (fired_at)',

    `create table hourly_price (market text not null, symbol text not null, at bigint not null,
      price double precision not null, primary key (market, symbol, at))`,
    'create index hourly_price_age on hourly_price (at)',

    `create table reading (market text not null, feed text not null, at bigint not null, body ${bytes} not null,
      primary key (market, feed, at))`,
    'create index reading_age on reading (at)',

    'create table request (key text not null, at bigint not null)',
    'create index request_window on request (key, at)',

    `create table message (seq ${serial}, room text not null, id text not null, body text not null,
      at bigint not null default 0, unique (room, id))`,

    'create table setting (name text primary key, value text not null)',

    // A table of its own, so that backups leave it out.
    'create table connection (platform text primary key, sealed text not null)',

    `create table web_session (proof text primary key, digest text not null unique, previous text, person text not null,
      name text not null, renewed_wall bigint not null, until_wall bigint not null)`,
    'create index web_session_previous on web_session (previous) where previous is not null',

    'create table lease (role text primary key, owner text not null, token bigint not null, until bigint not null)',
  ];
};

/**
 * Postgres has no statistics of a table until it has analysed its rows, up to a minute after they were inserted, and until
 * then reads all of it to find a few. Statistics stay even if it is empty: so the first alert to many is as fast as later ones.
 * Other databases that speak the language of Postgres may refuse this. They stay as they were.
 */
async function showLikelyRows(db: Parameters<Migrations[string]['up']>[0]): Promise<void> {
  const statements = [
    `insert into outbox (receiver, notifier, address, group_key, alert_id, revision, urgent, due)
      select 'likely' || n, '', '', '', '', 1, 0, 0 from generate_series(1, 100) as n`,
    `insert into queue (receiver, notifier, urgency, ready) select 'likely' || n, '', 1, 0 from generate_series(1, 100) as n`,
    `insert into post (receiver, group_key, reference, shown, unknown, updated_at)
      select 'likely' || n, '', '', '{}', 0, 0 from generate_series(1, 100) as n`,
    ...['outbox', 'queue', 'post'].flatMap((table) => [
      `analyze ${table}`,
      `delete from ${table} where receiver like 'likely%'`,
    ]),
  ];
  await sql`savepoint statistics`.execute(db);
  try {
    for (const statement of statements) await sql.raw(statement).execute(db);
  } catch {
    await sql`rollback to savepoint statistics`.execute(db);
  }
}
