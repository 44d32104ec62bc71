import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Severity } from '../../alert/alert.ts';
import type { Hook } from '../../alert/hook.ts';
import { receiverKey } from '../../alert/subscription.ts';
import type { Database } from '../../database/database.ts';
import type { AcceptTerms, HookLog, Inbox, Received } from '../../hook/inbox.ts';
import { maxSeen, type SeenBody, seenBody } from '../../hook/seen-body.ts';
import { minute } from '../../runtime/units.ts';
import type { HookStore, PlaceIds } from '../ports.ts';
import { receiverColumns, receiverOf } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { countOfAccount, removeOwn } from './own-things.ts';

export const hooks = (db: Kysely<Tables>, { newId, accountOf }: PlaceIds): HookStore & HookLog => ({
  async add(hook, lock) {
    const id = newId();
    await db
      .insertInto('hook')
      .values({
        id,
        ...receiverColumns(hook.receiver),
        account: accountOf(hook.receiver),
        secret: JSON.stringify(lock),
        ...settingsOf(hook),
        created_by: hook.createdBy,
        created_at: hook.createdAt,
      })
      .execute();
    return { ...hook, id };
  },
  async update({ id, receiver, ...hook }) {
    const { numUpdatedRows } = await db
      .updateTable('hook')
      .set(settingsOf(hook))
      .where('id', '=', id)
      .where('receiver', '=', receiverKey(receiver))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  remove: (id, receiver) => removeOwn(db, { table: 'hook', id, receiver }),
  countOfAccount: (receiver) => countOfAccount(db, { table: 'hook', account: accountOf(receiver) }),
  async of(receiver) {
    const rows = await db
      .selectFrom('hook')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(hookOf);
  },
  async find(id) {
    const row = await db.selectFrom('hook').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : { hook: hookOf(row), lock: JSON.parse(row.secret) };
  },
  async read(ids) {
    if (ids.length === 0) return [];
    return (await db.selectFrom('hook').selectAll().where('id', 'in', ids).execute()).map(hookOf);
  },
  async recent(id) {
    const row = await db.selectFrom('hook').select('recent').where('id', '=', id).executeTakeFirst();
    return seenOf(row?.recent ?? null);
  },
  async note(id, seen) {
    const row = await db.selectFrom('hook').select('recent').where('id', '=', id).executeTakeFirst();
    const recent = JSON.stringify([seen, ...seenOf(row?.recent ?? null)].slice(0, maxSeen));
    // Of two bodies at the same moment one may be missing: the list is for people.
    await db.updateTable('hook').set({ recent }).where('id', '=', id).execute();
  },
  accept: (received, given) => accept(db, { received, ...given }),
});

const seenOf = (json: string | null): SeenBody[] =>
  z.array(seenBody).safeParse(JSON.parse(json ?? '[]')).data ?? [];

const settingsOf = ({ name, template, severity, lasts, calls }: Omit<Hook, 'id' | 'receiver'>) => ({
  name,
  template: JSON.stringify(template),
  severity,
  lasts,
  calls,
});

const hookOf = (row: Selectable<Tables['hook']>): Hook => ({
  id: row.id,
  receiver: receiverOf(row),
  name: row.name,
  template: JSON.parse(row.template),
  severity: row.severity as Severity,
  lasts: row.lasts,
  signed: 'signing' in JSON.parse(row.secret),
  calls: row.calls,
  createdBy: row.created_by,
  createdAt: row.created_at,
});

/**
 * Stores a message that a hook received. One statement decides whether it is new, so that of two processes that receive it
 * at the same time only one stores it.
 */
async function accept(
  db: Kysely<Tables>,
  { received, since, about, maxWaiting }: { readonly received: Received } & AcceptTerms,
): ReturnType<Inbox['accept']> {
  const { hook, at, market } = received;
  const waiting = await db
    .selectFrom('hook_inbox')
    .select(sql<number>`count(*)`.as('count'))
    .where('hook', '=', hook)
    .where('done', '=', 0)
    .executeTakeFirstOrThrow();
  if (Number(waiting.count) >= maxWaiting) return 'full';
  const key = about === undefined ? received.key : await keyAfterOthers(db, { ...received, about });
  const body = JSON.stringify(received.signals);
  const kept = await db
    .insertInto('hook_inbox')
    .values({ hook, key, at, market, body, done: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['hook', 'key'])
        .doUpdateSet({ at, market, body, done: 0 })
        .where('hook_inbox.done', '=', 1)
        // Received by a clock that was ahead: when, is not known.
        .where((or) => or.or([or('hook_inbox.at', '<', since), or('hook_inbox.at', '>', at + minute)])),
    )
    .returning('hook')
    .executeTakeFirst();
  return kept === undefined ? 'twice' : 'kept';
}

/** Returns the key of equal content together with the last other message about the same before it. */
async function keyAfterOthers(
  db: Kysely<Tables>,
  { hook, key, about }: Received & { readonly about: string },
): Promise<string> {
  const other = await db
    .selectFrom('hook_inbox')
    .select('at')
    .where('hook', '=', hook)
    .where('key', 'like', `${about} %`)
    .where('key', 'not like', `${about} ${key}%`)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return `${about} ${key} after ${other?.at ?? 0}`;
}

export const inbox = ({ db, transaction }: Database<Tables>): Inbox => ({
  accept: (received, given) => transaction((trx) => accept(trx, { received, ...given })),
  async waiting(limit) {
    const rows = await db
      .selectFrom('hook_inbox')
      .selectAll()
      .where('done', '=', 0)
      .orderBy('at')
      .orderBy('key')
      .limit(limit)
      .execute();
    return rows.map(({ hook, key, at, market, body }) => ({
      hook,
      key,
      at,
      market,
      signals: JSON.parse(body),
    }));
  },
  finish: (received) =>
    transaction(async (trx) => {
      for (const { hook, key, at } of received)
        await trx
          .updateTable('hook_inbox')
          // What the message said is in its alert by now.
          .set({ done: 1, body: '[]' })
          .where('hook', '=', hook)
          .where('key', '=', key)
          .where('at', '=', at)
          .execute();
    }),
});
