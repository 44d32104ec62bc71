import { type Kysely, sql } from 'kysely';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import type { Tables } from '../tables.ts';

// What places own, one row each. The id of another place's row counts as unknown.

/** Deletes a row. Returns whether the place had one with that id. */
export async function removeOwn(
  db: Kysely<Tables>,
  {
    table,
    id,
    receiver,
  }: {
    readonly table: 'silence' | 'rule' | 'hook';
    readonly id: string;
    readonly receiver: Receiver;
  },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('id', '=', id)
    .where('receiver', '=', receiverKey(receiver))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns how many rows the whole account has, without those that files define. */
export async function countOfAccount(
  db: Kysely<Tables>,
  {
    table,
    account,
  }: { readonly table: 'subscription' | 'rule' | 'hook' | 'living_board'; readonly account: string },
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(sql<number>`count(*)`.as('count'))
    .where('account', '=', account)
    .$if(table === 'living_board', (all) => all.where(sql<boolean>`ended = 0`))
    .$if(table === 'subscription' || table === 'rule', (all) => all.where(sql<boolean>`file is null`))
    .executeTakeFirstOrThrow();
  return Number(count);
}
