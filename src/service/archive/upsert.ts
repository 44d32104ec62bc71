import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Database, Dialect } from '../../database/database.ts';

export interface Target<Column extends string = string> {
  readonly table: string;
  readonly columns: readonly Column[];
  /** Columns that identify a row. If one write contains two rows with the same key, the later one counts. */
  readonly key: readonly string[];
  /** What happens to a row that exists already. */
  readonly conflict: 'replace' | 'keep';
}

export type Value = string | number | null;

/**
 * Rows per statement. There are few sizes, so that every statement stays prepared: a page of Binance's candles and marks, a
 * day of quarter hours, a day of hours, and less. node:sqlite is synchronous: 500 candles take about 1 ms (measured,
 * 640,000 rows/s).
 */
const statementSizes = [499, 96, 24, 5, 1] as const;
/** Rows per transaction: enough for any page of an exchange, and still no more than a few ms of the event loop. */
const transactionRows = 2_000;

interface WriteRequest<Row> {
  readonly target: Target;
  readonly rows: readonly Row[];
  /** Returns a row's values in the order of the target's columns. */
  readonly values: (row: Row) => readonly Value[];
}

/**
 * Writes rows in transactions of a page each: if the process dies, a page is written completely or not at all, which
 * leaves no hole too small to be recognised as a gap.
 */
export async function upsert<Row>(
  database: Database<unknown>,
  { target, rows, values }: WriteRequest<Row>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += transactionRows) {
    if (at > 0) await yieldToOthers();
    const parts = chunks(rows.slice(at, at + transactionRows)).map((chunk) =>
      query(database.dialect, { target, rows: chunk, values }),
    );
    await write(database, parts).catch((error: unknown) => {
      if (!isDecompressionLimit(error)) throw error;
      return write(database, [liftDecompressionLimit, ...parts]);
    });
  }
}

async function write(database: Database<unknown>, statements: readonly CompiledQuery[]): Promise<void> {
  const [only, ...more] = statements;
  if (only === undefined) return;
  if (more.length === 0) await database.db.executeQuery(only);
  else {
    await database.transaction(async (trx) => {
      for (const statement of statements) await trx.executeQuery(statement);
    });
  }
}

/**
 * Tells whether a write exceeded TimescaleDB's limit on how many rows are decompressed to write into compressed chunks. A
 * page of old rows of a hundred markets exceeds it although it is only one page, so the write is repeated without the limit.
 */
const isDecompressionLimit = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '53400';
const liftDecompressionLimit = CompiledQuery.raw(
  'set local timescaledb.max_tuples_decompressed_per_dml_transaction = 0',
);

function chunks<Row>(rows: readonly Row[]): (readonly Row[])[] {
  const parts: (readonly Row[])[] = [];
  let at = 0;
  for (const size of statementSizes) {
    for (; rows.length - at >= size; at += size) parts.push(rows.slice(at, at + size));
  }
  return parts;
}

function query<Row>(dialect: Dialect, { target, rows, values }: WriteRequest<Row>): CompiledQuery {
  const keyIndexes = target.key.map((name) => target.columns.indexOf(name));
  const written = dropDuplicateKeys(rows.map(values), keyIndexes);
  return CompiledQuery.raw(statementText(dialect, target, written.length), written.flat());
}

/** Keeps the last row of each key: Postgres refuses a statement that would touch one row twice. */
function dropDuplicateKeys(
  rows: readonly (readonly Value[])[],
  keyIndexes: readonly number[],
): readonly (readonly Value[])[] {
  // Pages usually come in the order of their key. No two rows then share a key, and no map is needed.
  if (rows.every((row, at) => at === 0 || follows(row, rows[at - 1] ?? row, keyIndexes))) return rows;
  return [
    ...new Map(rows.map((row) => [keyIndexes.map((index) => row[index]).join('\u0000'), row])).values(),
  ];
}

function follows(row: readonly Value[], before: readonly Value[], keyIndexes: readonly number[]): boolean {
  for (const index of keyIndexes) {
    const [value, earlier] = [row[index] ?? 0, before[index] ?? 0];
    if (value !== earlier) return value > earlier;
  }
  return false;
}

const statements = new Map<string, string>();

function statementText(dialect: Dialect, target: Target, rows: number): string {
  const id = `${dialect} ${target.table} ${rows}`;
  const known = statements.get(id);
  if (known !== undefined) return known;
  const sql = insert(dialect, { ...target, rows });
  // Any other size comes from rows with duplicate keys. Such sizes are rare and would fill the memory.
  if ((statementSizes as readonly number[]).includes(rows)) statements.set(id, sql);
  return sql;
}

function insert(
  dialect: Dialect,
  { table, columns, key, conflict, rows }: { readonly rows: number } & Target,
): string {
  const quoted = columns.map((name) => `"${name}"`);
  // Not `?1` on SQLite: numbered parameters have names, which are searched for each value bound (60 times slower).
  const marker = dialect === 'sqlite' ? () => '?' : (index: number) => `$${index + 1}`;
  const tuples = Array.from(
    { length: rows },
    (_, row) => `(${columns.map((_, column) => marker(row * columns.length + column)).join(',')})`,
  );
  const updates = columns
    .filter((name) => !key.includes(name))
    .map((name) => `"${name}" = excluded."${name}"`);
  const action =
    conflict === 'replace' && updates.length > 0 ? `do update set ${updates.join(', ')}` : 'do nothing';
  return `insert into ${table} (${quoted.join(', ')}) values ${tuples.join(', ')}
    on conflict (${key.map((name) => `"${name}"`).join(', ')}) ${action}`;
}
