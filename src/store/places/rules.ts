import { type Kysely, type Selectable, sql } from 'kysely';
import type { Severity } from '../../alert/alert.ts';
import type { Rule } from '../../alert/rule.ts';
import { type Addresses, type Receiver, receiverKey } from '../../alert/subscription.ts';
import { watchlist } from '../../alert/symbols.ts';
import type { RuleLog } from '../../rules/live.ts';
import type { PlaceIds, RuleStore } from '../ports.ts';
import { effectiveSymbols, receiverColumns, receiverOf } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { countOfAccount, removeOwn } from './own-things.ts';

/**
 * Name of the setting that counts every change of any rule. A process that holds all rules sees by it that there is
 * something to read.
 */
const revisionSetting = 'rule revision';

/**
 * Returns the next revision. On Postgres its row is locked until the transaction ends, so that a change with a higher
 * number also becomes visible later.
 */
export async function nextRevision(db: Kysely<Tables>): Promise<number> {
  const { value } = await db
    .insertInto('setting')
    .values({ name: revisionSetting, value: '1' })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        value: sql<string>`cast(cast(setting.value as bigint) + 1 as text)`,
      }),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return Number(value);
}

export const rules = (db: Kysely<Tables>, { newId, accountOf }: PlaceIds): RuleStore & RuleLog => ({
  async add(rule) {
    const id = newId();
    const revision = await nextRevision(db);
    await db
      .insertInto('rule')
      .values({ id, revision, ...ruleRow(rule, accountOf) })
      .execute();
    return { ...rule, id };
  },
  async update({ id, ...rule }) {
    const revision = await nextRevision(db);
    const row = { revision, ...ruleRow(rule, accountOf) };
    const { numUpdatedRows } = await db
      .updateTable('rule')
      .set(row)
      .where('id', '=', id)
      .where('receiver', '=', row.receiver)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  async remove(id, receiver) {
    await nextRevision(db);
    return removeOwn(db, { table: 'rule', id, receiver });
  },
  countOfAccount: (receiver) => countOfAccount(db, { table: 'rule', account: accountOf(receiver) }),
  async of(receiver) {
    const rows = await db
      .selectFrom('rule')
      .selectAll()
      .where('receiver', '=', receiverKey(receiver))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(ruleOf);
  },
  async revision() {
    const row = await db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', revisionSetting)
      .executeTakeFirst();
    return Number(row?.value ?? 0);
  },
  revisions: (after, limit) =>
    db
      .selectFrom('rule')
      .select(['id', 'revision'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute(),
  async read(ids) {
    const rows = await db
      .selectFrom('rule')
      .leftJoin('watchlist', 'watchlist.receiver', 'rule.receiver')
      .selectAll('rule')
      .select('watchlist.symbols as followed')
      .where('rule.id', 'in', ids)
      .execute();
    return rows.map((row) => ({ ...ruleOf(row), symbols: effectiveSymbols(row) }));
  },
  async end(ids) {
    await nextRevision(db);
    await db.deleteFrom('rule').where('id', 'in', ids).execute();
  },
});

/** Gives the rules of a place that name its watchlist a new revision, because the watchlist has changed. */
export async function reviseRulesOfWatchlist(db: Kysely<Tables>, receiver: string): Promise<void> {
  const naming = db
    .selectFrom('rule')
    .select('id')
    .where('receiver', '=', receiver)
    .where('symbols', 'like', `%"${watchlist}"%`);
  const ids = (await naming.execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  const revision = await nextRevision(db);
  await db.updateTable('rule').set({ revision }).where('id', 'in', ids).execute();
}

/** Deletes a receiver's rules. Returns how many there were. */
export async function forgetRules(db: Kysely<Tables>, receiver: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('rule').where('receiver', '=', receiver).executeTakeFirst();
  if (numDeletedRows > 0n) await nextRevision(db);
  return Number(numDeletedRows);
}

export async function moveRules(
  db: Kysely<Tables>,
  { from, to, account }: { readonly from: string; readonly to: Receiver; readonly account: string },
): Promise<void> {
  const revision = await nextRevision(db);
  await db
    .updateTable('rule')
    .set({ ...receiverColumns(to), account, revision })
    .where('receiver', '=', from)
    .execute();
}

export const ruleRow = (rule: Omit<Rule, 'id'>, accountOf: Addresses['accountOf']) => ({
  ...receiverColumns(rule.receiver),
  account: accountOf(rule.receiver),
  name: rule.name,
  condition: rule.condition,
  clear: rule.clear,
  symbols: JSON.stringify(rule.symbols),
  hold: rule.hold,
  mode: rule.mode,
  expires_at: rule.expiresAt,
  severity: rule.severity,
  paused: rule.paused ? 1 : 0,
  created_by: rule.createdBy,
  created_at: rule.createdAt,
  file: rule.file ?? null,
  position: rule.position === undefined ? null : JSON.stringify(rule.position),
});

export const ruleOf = (row: Selectable<Tables['rule']>): Rule => ({
  id: row.id,
  receiver: receiverOf(row),
  name: row.name,
  condition: row.condition,
  clear: row.clear,
  symbols: JSON.parse(row.symbols) as string[],
  hold: row.hold,
  mode: row.mode as Rule['mode'],
  expiresAt: row.expires_at,
  severity: row.severity as Severity,
  paused: row.paused === 1,
  createdBy: row.created_by,
  createdAt: row.created_at,
  ...(row.file !== null && { file: row.file }),
  ...(row.position !== null && { position: JSON.parse(row.position) }),
});
