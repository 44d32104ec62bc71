import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import { kindOfHook } from '#src/alert/hook.ts';
import { runVerify } from '#src/app/cli/verify.ts';
import { recordKept } from '#src/record/records.ts';
import { day, hour } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Store } from '#src/store/ports.ts';
import { firing, next, receiver, start } from '#test/support/alerts.ts';
import { onPostgres } from '#test/support/databases.ts';
import { sharedFolder } from '#test/support/folder.ts';
import { claimOf, post } from '#test/support/posting.ts';

const market = 'm';
const only = receiver('own place');
const [btc, eth, sol] = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].map((symbol) => firing({ symbol })) as [
  Alert,
  Alert,
  Alert,
];

/** Stores what a bot has after some days: alerts of every fate, their posts, their outcomes, hourly prices. */
async function fill(store: Store) {
  const follow = (alert: Alert, symbol: string) =>
    store.dispatch((unit) => unit.followPrice(alert, { market, symbol, prediction: 'up' }));
  const save = (alert: Alert, heldBy: string | null) =>
    store.dispatch((unit) => unit.save({ alert, group: alert.id, due: start, heldBy }));
  for (const alert of [btc, eth, sol]) {
    await store.dispatch(async (unit) => {
      await unit.followPrice(alert, { market, symbol: alert.labels.symbol ?? '', prediction: 'up' });
      await unit.save({ alert, group: alert.id, due: start, heldBy: null });
      await unit.announce({ alert, group: alert.id, due: start, heldBy: null });
    });
    const [id] = await store.expansion.next();
    const [dispatch] = await store.expansion.read(id === undefined ? [] : [id]);
    if (dispatch === undefined) throw new Error('nothing was announced');
    const destinations = [{ receiver: receiver(), group: alert.id, due: start }];
    await store.expansion.enqueue([{ dispatch, destinations }], { next: null, now: start });
    const [queued] = await store.outbox.next({ notifier: 'web', now: start, count: 1, fits: () => true });
    const [claim] = await store.outbox.look([queued?.key ?? ''], start);
    if (claim === undefined) throw new Error('nothing is due');
    const sent = { kind: 'sent', claim, at: start + 1, reference: alert.id, shown: {}, note: null } as const;
    const silenced = {
      kind: 'suppressed',
      claim,
      at: start + 2,
      reason: { code: 'silenced', text: 'quiet' },
    } as const;
    await store.outbox.settle([alert === sol ? silenced : sent]);
  }
  // The second revision of an alert, one that is held back, one for a place alone, and a hook's.
  await post(store, next(btc, { status: 'resolved' }, start + hour));
  await save(firing({ symbol: 'XRPUSDT' }), btc.fingerprint);
  await post(store, { ...firing({ symbol: 'ADAUSDT' }), only });
  const signal = { ...firing({ kind: kindOfHook('abcd2345') }), only };
  await follow(signal, 'BTCUSDT');
  await post(store, signal);
  for (let at = 0; at < 30; at += 1)
    await store.outcomes.addPrices(
      market,
      ['BTCUSDT', 'ETHUSDT'].map((symbol) => ({
        symbol,
        at: start + at * hour,
        price: 100 + at / 2 + symbol.charCodeAt(0),
      })),
    );
  for (const at of [0, hour, 4 * hour, 2 * day]) {
    const looks = await store.outcomes.due(market, { now: start + at, limit: 10 });
    await store.outcomes.keep(
      looks.map((look) => ({ look, price: look.symbol.charCodeAt(0) - at / hour, estimated: at === hour })),
    );
  }
}

async function verify(url: string) {
  const said: string[] = [];
  const print = async (text: string) => void said.push(text);
  const holds = await runVerify({ source: url, database: async () => url, print });
  return { holds, said: said.join('') };
}

const folder = await sharedFolder();
/** The same database: with notes that still wait, and with all of them in the chain. */
const made = { waiting: '', joined: '' };
beforeAll(async () => {
  made.waiting = join(folder, 'waiting.db');
  const store = await openStore(`file:${made.waiting}`);
  await fill(store);
  await store.close();
  made.joined = join(folder, 'joined.db');
  copyFileSync(made.waiting, made.joined);
  const again = await openStore(`file:${made.joined}`);
  await again.chain.join();
  await again.close();
});

let copies = 0;
function tampered(from: string, statements: string): string {
  copies += 1;
  const path = join(folder, `copy ${copies}.db`);
  copyFileSync(from, path);
  const database = new DatabaseSync(path);
  database.exec(statements);
  database.close();
  return `file:${path}`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
/** Each column that a card, the record or "why" reads, with another value that could be one. */
const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alert: {
    fingerprint: "'0123456789abcdef'",
    kind: "'oi-momentum'",
    group_key: "'another'",
    body: "replace(body, 'BTC', 'DOGE')",
    due: 'due + 1',
    only_for: '\'web:["room","b"]\'',
    held_by: "'0123456789abcdef'",
    updated_at: 'updated_at - 3600000',
    ends_at: 'updated_at + 60000',
  },
  outcome: {
    market: "'live'",
    kind: "'oi-momentum'",
    symbol: "'DOGEUSDT'",
    prediction: "'down'",
    fired_at: 'fired_at + 3600000',
    due: '1',
    price: 'price + 1',
    after_1h: 'after_1h + 5',
    after_4h: 'null',
    after_24h: '130.5',
    estimated: '1 - estimated',
    posted: '1 - posted',
  },
  delivery: {
    at: 'at + 1',
    alert_id: quoted(eth.id),
    revision: 'revision + 1',
    receiver: '\'web:["room","b"]\'',
    notifier: "'telegram'",
    address: '\'{"room":"b"}\'',
    title: '\'"A better alert"\'',
    outcome: "'edited'",
    reason: '\'{"code":"silenced","text":"quiet hours"}\'',
    interrupts: '1 - interrupts',
  },
  hourly_price: { market: "'live'", symbol: "'DOGEUSDT'", at: 'at + 60000', price: 'price * 1.001' },
};
const keyOf: Readonly<Record<string, string>> = {
  alert: 'id',
  outcome: 'alert_id',
  delivery: 'id',
  hourly_price: 'rowid',
};
const one = (table: string) =>
  table === 'alert' || table === 'outcome'
    ? `${keyOf[table]} = ${quoted(btc.id)}`
    : `rowid = (select min(rowid) from ${table})`;

const changed = Object.entries(columns).flatMap(([table, all]) =>
  Object.entries(all).map(([column, value]) => [
    `${table}.${column} is changed`,
    `update ${table} set ${column} = ${value} where ${one(table)}`,
  ]),
);
/** Exchanges a column's values of two rows. */
const swap = (table: string, column: string) => `
  create temp table two as select rowid as r, ${column} as v from ${table} order by rowid limit 2;
  update ${table} set ${column} = (select v from two where r <> ${table}.rowid) where rowid in (select r from two)`;
const rows = [
  ...Object.keys(columns).flatMap((table) => [
    [`a row of ${table} is deleted`, `delete from ${table} where ${one(table)}`],
    [`all rows of ${table} are deleted`, `delete from ${table}`],
  ]),
  [
    'an alert is put in',
    `insert into alert select 'made', fingerprint || 'x', kind, group_key, body, due, only_for, held_by, updated_at, 1 from alert limit 1`,
  ],
  [
    'an outcome is put in',
    `insert into outcome select 'made', market, kind, symbol, prediction, fired_at, due, price, after_1h, after_4h, after_24h, estimated, posted from outcome limit 1`,
  ],
  [
    'a delivery is put in',
    `insert into delivery (at, alert_id, revision, receiver, notifier, address, title, outcome, reason, interrupts)
    select at, alert_id, revision, receiver, notifier, address, title, outcome, reason, interrupts from delivery limit 1`,
  ],
  ['an hourly price is put in', `insert into hourly_price values ('m', 'BTCUSDT', ${start + 40 * hour}, 99)`],
  ['the bodies of two alerts are swapped', swap('alert', 'body')],
  ['the outcomes of two alerts are swapped', swap('outcome', 'after_24h')],
  ['the receivers of two deliveries are swapped', swap('delivery', 'alert_id')],
  ['the prices of two hours are swapped', swap('hourly_price', 'price')],
  ['an own alert is deleted', `delete from alert where only_for is not null`],
  ['an alert that was held back is deleted', `delete from alert where held_by is not null`],
  ['the outcome of a hook’s signal is changed', `update outcome set after_24h = 200 where kind like 'hook%'`],
];
const inChain = [
  ['a link is deleted', 'delete from chain where n = 2'],
  ['a link is changed', `update chain set body = replace(body, 'BTC', 'DOGE') where n = 1`],
  [
    'a ledger is changed',
    `update chain set body = replace(body, ',', ', ') where n = (select max(n) from chain)`,
  ],
  ['the hashes of two links are swapped', swap('chain', 'hash')],
];

describe('verification', () => {
  it.each(['waiting', 'joined'] as const)(
    'finds nothing in a record that nobody touched (%s)',
    async (which) => {
      const { holds, said } = await verify(`file:${made[which]}`);
      expect(said).not.toContain('PROBLEM');
      expect(holds).toBe(true);
    },
  );

  it.each([...changed, ...rows, ...inChain])('detects that %s', async (_, statements) => {
    expect(await verify(tampered(made.joined, statements as string))).toMatchObject({
      holds: false,
      said: expect.stringContaining('PROBLEM'),
    });
  });

  it.each([...changed, ...rows])(
    'detects before the notes have joined the chain that %s',
    async (_, statements) => {
      expect((await verify(tampered(made.waiting, statements as string))).holds).toBe(false);
    },
  );

  it('does not take a changed alert for what was announced, though it was noted', async () => {
    const path = tampered(
      made.joined,
      `update alert set body = replace(body, '2.4', '9.9') where id = ${quoted(eth.id)}`,
    );
    const store = await openStore(path);
    await store.dispatch(async (unit) => {
      const kept = await unit.findOpen(eth.fingerprint);
      if (kept !== undefined) await unit.save(kept);
    });
    await store.chain.join();
    await store.close();
    expect((await verify(path)).said).toContain(`alert ${eth.id} is stored otherwise than it was announced`);
  });

  it('tells a firing link without an outcome, if no note of it is left either', async () => {
    const { said } = await verify(tampered(made.waiting, 'delete from outcome; delete from to_chain'));
    expect(said).toContain(`alert ${btc.id} of`);
    expect(said).toContain('has no outcome');
  });

  it('does not take a changed outcome for a later one, though it was noted', async () => {
    const path = tampered(
      made.joined,
      `update outcome set after_4h = 500 where alert_id = ${quoted(btc.id)}`,
    );
    const store = await openStore(path);
    // Whatever the bot notes next of the same outcome.
    await store.dispatch((unit) => unit.followPrice(btc, { market, symbol: 'BTCUSDT', prediction: 'up' }));
    await store.chain.join();
    await store.close();
    expect((await verify(path)).said).toContain(
      `the outcome of alert ${btc.id} was changed after it was known`,
    );
  });
});

describe('what the bot itself changes or deletes is no tampering:', () => {
  const acts: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
    'a place that is forgotten': (store) => store.forgetPlace(receiver()),
    'a place that moves': (store) => store.receivers.move(only, receiver('moved')),
    'a place that ends': (store) => store.receivers.end(only, { at: start, reason: 'gone' }),
    'old records that are pruned': (store) =>
      store.prune({ now: start, before: start + 9 * day, requests: 0, record: 0, wall: 0 }),
    'another market': (store) => store.market.bind('another', { now: start, speed: 1 }),
    'a clock that was ahead and is right again': async (store) => {
      await store.heartbeat({ market: start + 90 * day, wall: start + 90 * day }, hour);
      await store.heartbeat({ market: start - day, wall: start - day }, hour);
    },
    'a failed delivery': async (store) => {
      const claim = await claimOf(store, firing({ symbol: 'LTCUSDT' }));
      await store.outbox.settle([{ kind: 'failed', claim, at: start, reason: { code: 'defect', text: '' } }]);
    },
    'a record that has become old': async (store) => {
      const now = start + recordKept + 10 * hour;
      await post(store, next(firing({ symbol: 'LTCUSDT' }), {}, now));
      await store.prune({ now, before: 0, requests: 0, record: now - recordKept, wall: 0 });
    },
  };
  it.each(Object.entries(acts))('%s', async (name, act) => {
    const path = tampered(made.waiting, '');
    for (const turn of ['before', 'after']) {
      const store = await openStore(path);
      if (turn === 'before') await store.market.bind(market, { now: start, speed: 1 });
      if (turn === 'before') await act(store);
      else await store.chain.join();
      await store.close();
      const { said } = await verify(path);
      expect(said).not.toContain('PROBLEM');
      expect(said.includes('were set back in time')).toBe(name.startsWith('a clock'));
    }
  });
});

onPostgres('the record', (fresh) => {
  it('verifies, and a changed outcome, alert, price or delivery does not', async () => {
    const url = await fresh();
    const store = await openStore(url);
    await fill(store);
    expect((await verify(url)).said).not.toContain('PROBLEM');
    await store.chain.join();
    expect((await verify(url)).said).not.toContain('PROBLEM');
    await store.close();
    const { openDatabase } = await import('#src/database/open.ts');
    const { migrations } = await import('#src/store/migrations.ts');
    const { db, close } = await openDatabase<unknown>(url, { migrations });
    await sql`update outcome set after_24h = after_24h + 1`.execute(db);
    await sql`update alert set due = due + 1`.execute(db);
    await sql`update hourly_price set price = price + 1`.execute(db);
    await sql`update delivery set title = '""'`.execute(db);
    await close();
    const { said } = await verify(url);
    for (const what of ['the outcome of alert', 'PROBLEM  alert', 'hourly_price of', 'delivery of'])
      expect(said).toContain(what);
  });
});
