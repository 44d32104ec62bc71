import { CompiledQuery, type Kysely, sql } from 'kysely';
import { ConfigError } from '../runtime/errors.ts';
import type { Database } from './database.ts';
import { withoutNul } from './lists.ts';
import { readSqlite } from './sqlite.ts';

/** Most rows of one statement, and most bytes of their text: a reading has 100 kB, and a reply to one question 500 rows. */
const batch = { rows: 2_000, bytes: 4_000_000 };

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}
type Row = Readonly<Record<string, unknown>>;

/**
 * Copies every row of a SQLite file that nobody writes into a Postgres database with the same tables, which must be empty: all
 * in one transaction, so that it is all there or nothing is. Returns how many rows that were.
 * @throws ConfigError if a table has rows
 */
export async function copyRows(from: string, to: Database<unknown>): Promise<number> {
  const source = readSqlite(from);
  try {
    return await to.transaction(async (trx) => {
      const tables = await tablesOf(trx);
      await throwIfFilled(trx, tables);
      let copied = 0;
      for (const table of tables)
        for (const rows of inBatches(source.rows(table.name))) {
          await trx.executeQuery(insertion(table, rows));
          copied += rows.length;
        }
      await continueIds(trx, source.sequences());
      return copied;
    });
  } finally {
    source.close();
  }
}

/** @throws ConfigError if a table of the database has rows */
export async function requireNoRows({ db }: Pick<Database<unknown>, 'db'>): Promise<void> {
  await throwIfFilled(db, await tablesOf(db));
}

async function throwIfFilled(db: Kysely<unknown>, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0)
      throw new ConfigError([
        `The Postgres database is not empty (it has rows in "${name}"): name an empty one, which this would fill`,
      ]);
  }
}

/** Returns the tables of the database, without those of the migrator. */
async function tablesOf(db: Kysely<unknown>): Promise<readonly Table[]> {
  const { rows } = await sql<{ table: string; name: string; type: string }>`
    select c.table_name as table, c.column_name as name, c.udt_name as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = current_schema() and t.table_type = 'BASE TABLE'
      and table_name not like 'kysely_migration%'
    order by table_name, ordinal_position`.execute(db);
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({ name, columns }));
}

function* inBatches(all: Iterable<Row>): Generator<readonly Row[]> {
  let rows: Row[] = [];
  let bytes = 0;
  for (const row of all) {
    rows.push(row);
    for (const value of Object.values(row))
      bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
    if (rows.length < batch.rows && bytes < batch.bytes) continue;
    yield rows;
    [rows, bytes] = [[], 0];
  }
  if (rows.length > 0) yield rows;
}

/** Returns an insert with one array for each column, so that the statement's text is the same for any number of rows. */
function insertion({ name, columns }: Table, rows: readonly Row[]): CompiledQuery {
  const names = columns.map((column) => `"${column.name}"`).join();
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join();
  return CompiledQuery.raw(
    `insert into "${name}" (${names}) select * from unnest(${arrays})`,
    columns.map((column) => rows.map((row) => withoutNul(row[column.name]))),
  );
}

/** Sees to it that an id that was assigned once is not assigned again, even if its row was deleted. */
async function continueIds(db: Kysely<unknown>, sequences: ReadonlyMap<string, number>): Promise<void> {
  const { rows: serials } = await sql<{ name: string; serial: string }>`
    select table_name as name, pg_get_serial_sequence(quote_ident(table_name), column_name) as serial
    from information_schema.columns where table_schema = current_schema()
      and column_default like 'nextval(%'`.execute(db);
  for (const { name, serial } of serials) {
    const last = sequences.get(name) ?? 0;
    if (last > 0) await sql`select setval(${serial}, ${last})`.execute(db);
  }
}
