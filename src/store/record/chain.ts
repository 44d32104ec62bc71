import type { Kysely, Transaction } from 'kysely';
import type { Alert } from '../../alert/alert.ts';
import { type ChainHead, type ChainLink, chainBody, nextLink, noHead } from '../../alert/chain.ts';
import { createRoot } from '../../alert/hash-tree.ts';
import { createLedger, type Ledger, ledger } from '../../alert/ledger.ts';
import type { Expectation } from '../../alert/outcome.ts';
import type { Database } from '../../database/database.ts';
import type { ChainStore } from '../ports.ts';
import type { Tables } from '../tables.ts';

const headOf = async (db: Kysely<Tables>): Promise<ChainHead> =>
  (await db.selectFrom('chain').select(['n', 'hash']).orderBy('n', 'desc').limit(1).executeTakeFirst()) ??
  noHead;

/**
 * Adds an announced revision to the chain, in the transaction that announces it. Such transactions run one at a time. An
 * alert for one place alone is left out: others must not see it.
 */
export async function chain(
  trx: Transaction<Tables>,
  { alert, prediction }: { readonly alert: Alert; readonly prediction: Expectation | undefined },
): Promise<void> {
  if (alert.only === undefined) await append(trx, chainBody(alert, prediction));
}

const append = async (trx: Transaction<Tables>, body: string) =>
  trx
    .insertInto('chain')
    .values(nextLink(await headOf(trx), body))
    .execute();

/**
 * Notes what a transaction stores or deletes of the record, within it. Any process may do so, and none waits for another:
 * `join` adds the notes to the chain.
 */
export const note = (trx: Kysely<Tables>, given: Ledger) =>
  trx.insertInto('to_chain').values({ body: JSON.stringify(given) });

/** Most notes that one link takes. */
const notesAtOnce = 500;

async function join({ transaction }: Pick<Database<Tables>, 'transaction'>): Promise<void> {
  for (let found = notesAtOnce; found === notesAtOnce; )
    found = await transaction(async (trx) => {
      const notes = await trx.selectFrom('to_chain').selectAll().orderBy('id').limit(notesAtOnce).execute();
      if (notes.length === 0) return 0;
      const total = createLedger();
      for (const { body } of notes) total.add(ledger.parse(JSON.parse(body)));
      await append(trx, JSON.stringify({ ledger: total.ledger() }));
      const ids = notes.map(({ id }) => id);
      await trx.deleteFrom('to_chain').where('id', 'in', ids).execute();
      return notes.length;
    });
}

/** Reads the notes that are not in the chain yet. */
export const notesIn = async (db: Kysely<Tables>): Promise<string[]> =>
  (await db.selectFrom('to_chain').select('body').orderBy('id').execute()).map(({ body }) => body);

export const chainStore = (database: Database<Tables>): ChainStore => ({
  head: () => headOf(database.db),
  async posted() {
    const tree = createRoot();
    let head = noHead;
    for await (const link of chainLinks(database.db)) {
      tree.add(link.hash);
      head = link;
    }
    const root = tree.root();
    return { n: head.n, hash: head.hash, root };
  },
  join: () => join(database),
});

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
