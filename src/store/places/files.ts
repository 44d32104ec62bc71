import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Addresses, type Receiver, receiverKey, receiverOfKey } from '../../alert/subscription.ts';
import type { Watchlist } from '../../alert/watchlist.ts';
import type { Database } from '../../database/database.ts';
import type { FileChanges, FileStore, Held, PlaceIds } from '../ports.ts';
import { inPages, subscriptionOf, subscriptionRow } from '../rows.ts';
import { lockKeys } from '../state/lock-keys.ts';
import type { Tables } from '../tables.ts';
import { audit } from './audit.ts';
import { nextRevision, ruleOf, ruleRow } from './rules.ts';
import { insertSubscriptions, removeSubscriptions } from './subscriptions.ts';
import { removeWatchlist, setWatchlist } from './watchlists.ts';

/** Locked before the accounts, so that one process at a time applies files. */
const filesLock = 'files';

const tablesWithFiles = ['subscription', 'rule', 'watchlist'] as const;

export const files = ({ db, transaction }: Database<Tables>, ids: PlaceIds): FileStore => ({
  held: (receivers) => heldIn(db, receivers),
  change: ({ receivers, at }, decide) =>
    transaction(async (trx) => {
      await lockKeys(trx, filesLock);
      await lockKeys(trx, ...receivers.map(ids.accountOf), ...(await accountsWithFiles(trx, ids)));
      const held = await heldIn(trx, receivers);
      await yieldToOthers();
      const decided = decide(held, ids.newId);
      const { subscriptions, rules, watchlists, records } = decided;
      await yieldToOthers();
      await changeWatchlists(trx, watchlists);
      await changeSubscriptions(trx, { ...subscriptions, accountOf: ids.accountOf });
      await yieldToOthers();
      await changeRules(trx, { ...rules, accountOf: ids.accountOf });
      await audit(trx, ...records.map((each) => ({ ...each, person: null, at })));
      return decided;
    }),
  release: () =>
    transaction(async (trx) => {
      let released = 0n;
      for (const table of tablesWithFiles) {
        const all = trx.updateTable(table).set({ file: null }).where('file', 'is not', null);
        released += (await all.executeTakeFirst()).numUpdatedRows;
      }
      return Number(released);
    }),
});

/** Reads what `FileStore.held` returns. */
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

async function accountsWithFiles(db: Kysely<Tables>, { accountOf }: AccountLookup): Promise<string[]> {
  const of = (table: 'subscription' | 'rule') =>
    db.selectFrom(table).select('account').where('file', 'is not', null);
  const rows = await of('subscription').union(of('rule')).execute();
  const lists = await db.selectFrom('watchlist').select('receiver').where('file', 'is not', null).execute();
  return [
    ...rows.flatMap(({ account }) => account ?? []),
    ...lists.map(({ receiver }) => accountOf(receiverOfKey(receiver))),
  ];
}

type AccountLookup = Pick<Addresses, 'accountOf'>;
const idsOf = (things: readonly { readonly id: string }[]) => things.map(({ id }) => id);

/** Changes watchlists, before what names them: subscriptions and rules take effect with the symbols followed at that time. */
async function changeWatchlists(
  trx: Kysely<Tables>,
  { added, changed, removed }: FileChanges['watchlists'],
): Promise<void> {
  for (const each of removed) await removeWatchlist(trx, each);
  for (const each of [...added, ...changed]) {
    await setWatchlist(trx, each);
    await yieldToOthers();
  }
}

async function changeSubscriptions(
  trx: Kysely<Tables>,
  { added, changed, removed, accountOf }: FileChanges['subscriptions'] & AccountLookup,
): Promise<void> {
  const replacedIds = idsOf([...changed, ...removed]);
  const before =
    replacedIds.length === 0
      ? []
      : await removeSubscriptions(trx, (all) => all.where('id', 'in', replacedIds));
  const rows = new Map(before.map((row) => [row.id, row]));
  const updatedRows = changed.flatMap((each) => {
    const row = rows.get(each.id);
    return row === undefined ? [] : [{ ...row, ...subscriptionRow(each, accountOf) }];
  });
  await insertSubscriptions(trx, updatedRows);
  await insertSubscriptions(
    trx,
    added.map((each) => ({ id: each.id, ...subscriptionRow(each, accountOf) })),
  );
}

async function changeRules(
  trx: Kysely<Tables>,
  { added, changed, removed, accountOf }: FileChanges['rules'] & AccountLookup,
): Promise<void> {
  if (added.length + changed.length + removed.length === 0) return;
  const revision = await nextRevision(trx);
  if (removed.length > 0) await trx.deleteFrom('rule').where('id', 'in', idsOf(removed)).execute();
  await yieldToOthers();
  for (const some of inPages(changed)) {
    for (const each of some)
      await trx
        .updateTable('rule')
        .set({ revision, ...ruleRow(each, accountOf) })
        .where('id', '=', each.id)
        .execute();
    await yieldToOthers();
  }
  const rows = added.map((each) => ({ id: each.id, revision, ...ruleRow(each, accountOf) }));
  for (const some of inPages(rows)) {
    await trx.insertInto('rule').values(some).execute();
    await yieldToOthers();
  }
}
