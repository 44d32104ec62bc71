import type { Kysely } from 'kysely';
import { receiverKey } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import type { Tables } from '../tables.ts';
import { reviseRulesOfWatchlist } from './rules.ts';
import { renewMatchers } from './subscriptions.ts';

/** Replaces a place's watchlist, and updates whatever names the watchlist. */
export async function setWatchlist(trx: Kysely<Tables>, given: Watchlist): Promise<void> {
  const receiver = receiverKey(given.receiver);
  const row = { symbols: JSON.stringify(given.symbols), file: given.file ?? null };
  await trx
    .insertInto('watchlist')
    .values({ receiver, ...row })
    .onConflict((conflict) => conflict.column('receiver').doUpdateSet(row))
    .execute();
  await updateUsers(trx, receiver);
}

export async function removeWatchlist(trx: Kysely<Tables>, given: Watchlist): Promise<void> {
  const receiver = receiverKey(given.receiver);
  await trx.deleteFrom('watchlist').where('receiver', '=', receiver).execute();
  await updateUsers(trx, receiver);
}

async function updateUsers(trx: Kysely<Tables>, receiver: string): Promise<void> {
  await renewMatchers(trx, receiver);
  await reviseRulesOfWatchlist(trx, receiver);
}
