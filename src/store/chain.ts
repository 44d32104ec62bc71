import type { Kysely, Transaction } from 'kysely';
import type { Alert } from '../alert/alert.ts';
import { type ChainHead, type ChainLink, chainBody, nextLink, noHead } from '../alert/chain.ts';
import type { Tables } from './tables.ts';

const headOf = async (db: Kysely<Tables>): Promise<ChainHead> =>
  (await db.selectFrom('chain').select(['n', 'hash']).orderBy('n', 'desc').limit(1).executeTakeFirst()) ??
  noHead;

/**
 * Adds an announced revision to the chain, in the transaction that announces it. Such transactions run one at a time. An
 * alert for one place alone is left out: others must not see it.
 */
export async function chain(trx: Transaction<Tables>, alert: Alert): Promise<void> {
  if (alert.only !== undefined) return;
  await trx
    .insertInto('chain')
    .values(nextLink(await headOf(trx), chainBody(alert)))
    .execute();
}

export interface ChainStore {
  head(): Promise<ChainHead>;
}

export const chainStore = (db: Kysely<Tables>): ChainStore => ({ head: () => headOf(db) });

/** Number of links read at once. */
const page = 1_000;

/** Yields all links, from the first on. */
export async function* chainLinks(db: Kysely<Tables>): AsyncGenerator<ChainLink> {
  for (let after = 0; ; ) {
    const links = await db
      .selectFrom('chain')
      .selectAll()
      .where('n', '>', after)
      .orderBy('n')
      .limit(page)
      .execute();
    yield* links;
    const last = links.at(-1);
    if (last === undefined) return;
    after = last.n;
  }
}
