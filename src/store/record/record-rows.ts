import { type DeleteQueryBuilder, type DeleteResult, type Kysely, sql } from 'kysely';
import { alertEntry, createLedger, type Ledger, outcomeEntry, sumsOf } from '../../alert/ledger.ts';
import type { Tables } from '../tables.ts';
import { note } from './chain.ts';

/** The tables of the record, with the columns of their keys. */
const keys = {
  alert: ['id'],
  outcome: ['alert_id'],
  delivery: ['id'],
  hourly_price: ['market', 'symbol', 'at'],
} as const;
type LedgerTable = keyof typeof keys;
export const recordTables = Object.keys(keys) as readonly LedgerTable[];

export type StoredRow = Readonly<Record<string, unknown>>;

/** Returns the ledger of rows of one table as they are stored now. */
export function ledgerOf(table: LedgerTable, rows: readonly StoredRow[]): Ledger {
  switch (table) {
    case 'alert':
      return {
        alerts: Object.fromEntries(rows.map((row) => [String(row.id), alertEntry(row, revisionOf(row))])),
      };
    case 'outcome':
      return { outcomes: Object.fromEntries(rows.map((row) => [String(row.alert_id), outcomeEntry(row)])) };
    default:
      return sumsOf(table, rows);
  }
}

/** Returns the revision of a stored alert; 0 if it cannot be read. */
function revisionOf({ body }: StoredRow): number {
  try {
    const { revision } = JSON.parse(String(body));
    return Number.isSafeInteger(revision) ? revision : 0;
  } catch {
    return 0;
  }
}

/** Notes these alerts, and the outcomes of these alerts, as they are stored now. */
export async function noteEntries(
  trx: Kysely<Tables>,
  alerts: readonly string[] = [],
  outcomes: readonly string[] = [],
): Promise<void> {
  const total = createLedger();
  if (alerts.length > 0)
    total.add(
      ledgerOf('alert', await trx.selectFrom('alert').selectAll().where('id', 'in', alerts).execute()),
    );
  if (outcomes.length > 0) {
    const rows = trx.selectFrom('outcome').selectAll().where('alert_id', 'in', outcomes);
    total.add(ledgerOf('outcome', await rows.execute()));
  }
  if (alerts.length + outcomes.length > 0) await note(trx, total.ledger()).execute();
}

export async function noteDeleted(
  trx: Kysely<Tables>,
  deletion: DeleteQueryBuilder<Tables, 'alert', DeleteResult>,
): Promise<void> {
  const rows = await deletion.returning('id').execute();
  if (rows.length > 0)
    await note(trx, { alerts: Object.fromEntries(rows.map(({ id }) => [id, null])) }).execute();
}

/** Rows read at once. */
const page = 2_000;

/** Yields all rows of a table, a page at a time. */
export async function* recordRows(
  db: Kysely<Tables>,
  table: LedgerTable,
): AsyncGenerator<readonly StoredRow[]> {
  const columns = sql.join(keys[table].map((name) => sql.ref(name)));
  let after = sql``;
  for (;;) {
    const { rows } =
      await sql<StoredRow>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${page}`.execute(
        db,
      );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`where (${columns}) > (${sql.join(keys[table].map((name) => last[name]))})`;
  }
}
