import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Rule } from '../alert/rule.ts';
import {
  type Addresses,
  type Receiver,
  receiverKey,
  receiverOfKey,
  type Subscription,
} from '../alert/subscription.ts';
import type { Watchlist } from '../alert/watchlist.ts';
import type { Database } from '../database/database.ts';
import type { Text } from '../language/text.ts';
import { record } from './audit.ts';
import { lock } from './changes.ts';
import { inPages, subscriptionOf, subscriptionRow } from './rows.ts';
import { nextRevision, ruleOf, ruleRow } from './rules.ts';
import type { Author, PlaceIds } from './store.ts';
import { putIn, takeOut } from './subscriptions.ts';
import type { Tables } from './tables.ts';
import { removeWatchlist, setWatchlist } from './watchlists.ts';

/** What is there of what files may have, oldest first. */
export interface Held {
  readonly subscriptions: readonly Subscription[];
  readonly rules: readonly Rule[];
  /** In no order. */
  readonly watchlists: readonly Watchlist[];
}

/** By id, which what is added has already; a watchlist by its place. */
interface Changed<Thing> {
  readonly added: readonly Thing[];
  readonly changed: readonly Thing[];
  readonly removed: readonly Thing[];
}

export interface FileChanges {
  readonly subscriptions: Changed<Subscription>;
  readonly rules: Changed<Rule>;
  readonly watchlists: Changed<Watchlist>;
  /** For the audit of each place. */
  readonly records: readonly (Pick<Author, 'receiver' | 'who'> & { readonly what: Text })[];
}

/**
 * What stands in files, where it is kept for places. Queries on SQLite end within the same turn of the event loop, and a thousand
 * entries are most of a tenth of a second of them: others have their turn in between, as far as they need no database.
 */
export interface FileStore {
  /** Everything that files have, and all that these places have besides. */
  held(receivers: readonly Receiver[]): Promise<Held>;
  /**
   * All or nothing, and one at a time, whichever process it is: what is decided of what is there is done. `decide` may be asked again,
   * where nothing was kept of the first time.
   * @param at market ms
   */
  change<Decided extends FileChanges>(
    given: { readonly receivers: readonly Receiver[]; readonly at: number },
    decide: (held: Held, newId: () => string) => Decided,
  ): Promise<Decided>;
  /** What files have is the places’ own from now on. Returns how much that is. */
  release(): Promise<number>;
}

/** Locked before the accounts: of all who apply files one at a time. */
const turn = 'files';

const filed = ['subscription', 'rule', 'watchlist'] as const;

export const files = ({ db, transaction }: Database<Tables>, ids: PlaceIds): FileStore => ({
  held: (receivers) => heldIn(db, receivers),
  change: ({ receivers, at }, decide) =>
    transaction(async (trx) => {
      await lock(trx, turn);
      await lock(trx, ...receivers.map(ids.accountOf), ...(await accountsWithFiles(trx, ids)));
      const held = await heldIn(trx, receivers);
      await othersTurn();
      const decided = decide(held, ids.newId);
      const { subscriptions, rules, watchlists, records } = decided;
      await othersTurn();
      await changeWatchlists(trx, watchlists);
      await changeSubscriptions(trx, { ...subscriptions, accountOf: ids.accountOf });
      await othersTurn();
      await changeRules(trx, { ...rules, accountOf: ids.accountOf });
      await record(trx, ...records.map((each) => ({ ...each, person: null, at })));
      return decided;
    }),
  release: () =>
    transaction(async (trx) => {
      let released = 0n;
      for (const table of filed) {
        const all = trx.updateTable(table).set({ file: null }).where('file', 'is not', null);
        released += (await all.executeTakeFirst()).numUpdatedRows;
      }
      return Number(released);
    }),
});

/** As `held`. */
export async function heldIn(db: Kysely<Tables>, receivers: readonly Receiver[]): Promise<Held> {
  const keys = [...new Set(receivers.map(receiverKey))];
  const subscriptions = await db
    .selectFrom('subscription')
    .selectAll()
    .where((or) => or.or([or('file', 'is not', null), or('receiver', 'in', keys)]))
    .orderBy('created_at')
    .orderBy('seq')
    .execute();
  const rules = await db
    .selectFrom('rule')
    .selectAll()
    .where((or) => or.or([or('file', 'is not', null), or('receiver', 'in', keys)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const watchlists = await db
    .selectFrom('watchlist')
    .selectAll()
    .where((or) => or.or([or('file', 'is not', null), or('receiver', 'in', keys)]))
    .execute();
  return {
    subscriptions: subscriptions.map((row) => subscriptionOf(row)),
    rules: rules.map(ruleOf),
    watchlists: watchlists.map(watchlistOf),
  };
}

const watchlistOf = ({ receiver, symbols, file }: Tables['watchlist']): Watchlist => ({
  receiver: receiverOfKey(receiver),
  symbols: JSON.parse(symbols) as string[],
  ...(file !== null && { file }),
});

async function accountsWithFiles(db: Kysely<Tables>, { accountOf }: By): Promise<string[]> {
  const of = (table: 'subscription' | 'rule') =>
    db.selectFrom(table).select('account').where('file', 'is not', null);
  const rows = await of('subscription').union(of('rule')).execute();
  const lists = await db.selectFrom('watchlist').select('receiver').where('file', 'is not', null).execute();
  return [
    ...rows.flatMap(({ account }) => account ?? []),
    ...lists.map(({ receiver }) => accountOf(receiverOfKey(receiver))),
  ];
}

type By = Pick<Addresses, 'accountOf'>;
const idsOf = (things: readonly { readonly id: string }[]) => things.map(({ id }) => id);

/** Before what names them: that takes effect with what is followed then. */
async function changeWatchlists(
  trx: Kysely<Tables>,
  { added, changed, removed }: FileChanges['watchlists'],
): Promise<void> {
  for (const each of removed) await removeWatchlist(trx, each);
  for (const each of [...added, ...changed]) {
    await setWatchlist(trx, each);
    await othersTurn();
  }
}

async function changeSubscriptions(
  trx: Kysely<Tables>,
  { added, changed, removed, accountOf }: FileChanges['subscriptions'] & By,
): Promise<void> {
  const going = idsOf([...changed, ...removed]);
  const before = going.length === 0 ? [] : await takeOut(trx, (all) => all.where('id', 'in', going));
  const rows = new Map(before.map((row) => [row.id, row]));
  const back = changed.flatMap((each) => {
    const row = rows.get(each.id);
    return row === undefined ? [] : [{ ...row, ...subscriptionRow(each, accountOf) }];
  });
  await putIn(trx, back);
  await putIn(
    trx,
    added.map((each) => ({ id: each.id, ...subscriptionRow(each, accountOf) })),
  );
}

async function changeRules(
  trx: Kysely<Tables>,
  { added, changed, removed, accountOf }: FileChanges['rules'] & By,
): Promise<void> {
  if (added.length + changed.length + removed.length === 0) return;
  const revision = await nextRevision(trx);
  if (removed.length > 0) await trx.deleteFrom('rule').where('id', 'in', idsOf(removed)).execute();
  await othersTurn();
  for (const some of inPages(changed)) {
    for (const each of some)
      await trx
        .updateTable('rule')
        .set({ revision, ...ruleRow(each, accountOf) })
        .where('id', '=', each.id)
        .execute();
    await othersTurn();
  }
  const rows = added.map((each) => ({ id: each.id, revision, ...ruleRow(each, accountOf) }));
  for (const some of inPages(rows)) {
    await trx.insertInto('rule').values(some).execute();
    await othersTurn();
  }
}
