import { hash } from 'node:crypto';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import { ConfigError } from '../runtime/errors.ts';
import type { Database } from './database.ts';
import { halfMoved } from './problem.ts';
import { readSqlite } from './sqlite.ts';

/** Most rows of one transaction, and most bytes of their text: a reading has 100 kB, and a reply to one question 500 rows. */
const batch = { rows: 2_000, bytes: 4_000_000 };

/** The number of rows of a table, and the sum of their hashes, which does not depend on their order. */
interface Tally {
  readonly rows: number;
  readonly sum: string;
}

interface MovedTable extends Tally {
  readonly name: string;
}

interface Move {
  /** Path of a SQLite file that nobody writes meanwhile. */
  readonly from: string;
  /** A Postgres database whose tables exist and are up to date. */
  readonly to: Database<unknown>;
  /** Throws if the database is in use; called before anything is done there. */
  readonly checkUnused?: () => Promise<void>;
  /** Called with each table once its rows are there. */
  readonly onTable?: (table: MovedTable) => Promise<void>;
  /** Rows of one transaction; left out: as in `batch`. */
  readonly rows?: number;
}

/**
 * Moves every row of every table of a SQLite file into a Postgres database with the same tables. These must be empty, or
 * hold part of the same rows from a move that was interrupted. Progress is stored in the transactions that insert the rows,
 * so the process may be killed at any time. Until both sides have been found equal, no bot opens the database. Returns
 * false if all rows were there already.
 * @throws ConfigError if the database holds anything else, or the sides differ at the end
 */
export async function moveRows(move: Move): Promise<boolean> {
  const { from, to } = move;
  const source = readSqlite(from);
  try {
    const tables = await tablesOf(to.db);
    const tallies = new Map(tables.map((table) => [table.name, tallyOf(source.rows(table.name), table)]));
    const progress = await readProgress(to.db);
    if (progress === undefined) {
      await move.checkUnused?.();
      if (await isAlreadyMoved(to.db, { tables, tallies })) return false;
      await begin(to, tallies);
    } else if (tables.some(({ name }) => !isSameTally(progress.get(name), tallies.get(name))))
      throw new ConfigError([
        'The Postgres database holds a half-finished move of another database, or of this one before a bot went on with it: drop that database, create it again, and start over',
      ]);
    for (const table of tables) {
      const moved = progress?.get(table.name)?.moved ?? 0;
      await moveTable(move, { table, rows: source.rows(table.name, moved), moved });
      await move.onTable?.({ name: table.name, ...(tallies.get(table.name) ?? emptyTally) });
    }
    await finish(to, { tables, tallies, sequences: source.sequences() });
    return true;
  } finally {
    source.close();
  }
}

interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** What is to be moved: the tables, and by name of each table its number of rows and the sum of their hashes. */
interface Plan {
  readonly tables: readonly Table[];
  readonly tallies: ReadonlyMap<string, Tally>;
}

type Row = Readonly<Record<string, unknown>>;

const emptyTally: Tally = { rows: 0, sum: '0' };

const isSameTally = (one: Tally | undefined, other: Tally | undefined): boolean =>
  one !== undefined && one.rows === other?.rows && one.sum === other.sum;

/** Returns the tables of the database, without the table of the move itself and those of the migrator. */
async function tablesOf(db: Kysely<unknown>): Promise<readonly Table[]> {
  const { rows } = await sql<{ table: string; name: string; type: string }>`
    select c.table_name as table, c.column_name as name, c.udt_name as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = current_schema() and t.table_type = 'BASE TABLE'
      and table_name not like 'kysely_migration%' and table_name <> ${halfMoved}
    order by table_name, ordinal_position`.execute(db);
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({ name, columns }));
}

/**
 * Returns the same text for the same value, from whichever database it comes. The quotes of a text distinguish it from a
 * number.
 */
function canonical(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array) return `x${Buffer.from(value).toString('base64')}`;
  return String(value);
}

const textOf = (row: Row, { columns }: Table): string =>
  columns.map(({ name }) => canonical(row[name])).join();

/**
 * Creates a tally of rows. Each database returns rows in another order, and a sum does not depend on it. Unlike an
 * exclusive or, a sum also distinguishes two equal rows from none.
 */
function createTally() {
  let rows = 0;
  let sum = 0n;
  return {
    add(text: string): void {
      rows += 1;
      sum = BigInt.asUintN(256, sum + BigInt(`0x${hash('sha256', text)}`));
    },
    total: (): Tally => ({ rows, sum: sum.toString(16) }),
  };
}

function tallyOf(rows: Iterable<Row>, table: Table): Tally {
  const tally = createTally();
  for (const row of rows) tally.add(textOf(row, table));
  return tally.total();
}

/** Reads the stored progress of a move: for each table what is to come, and how many rows have been moved. */
async function readProgress(
  db: Kysely<unknown>,
): Promise<ReadonlyMap<string, Tally & { readonly moved: number }> | undefined> {
  const { rows: found } = await sql<{ there: string | null }>`select table_name as there
    from information_schema.tables where table_schema = current_schema() and table_name = ${halfMoved}`.execute(
    db,
  );
  if (found.length === 0) return undefined;
  const { rows } = await sql<Tally & { name: string; moved: number }>`
    select name, rows, sum, moved from ${sql.table(halfMoved)}`.execute(db);
  return new Map(rows.map((row) => [row.name, row]));
}

/**
 * Returns whether the same rows are there already; false if the tables are empty.
 * @throws ConfigError if there are other rows
 */
async function isAlreadyMoved(db: Kysely<unknown>, { tables, tallies }: Plan): Promise<boolean> {
  const filledTables: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length > 0) filledTables.push(name);
  }
  if (filledTables.length === 0) return false;
  for (const table of tables)
    if (!isSameTally(await tallyInPostgres(db, table), tallies.get(table.name)))
      throw new ConfigError([
        `The Postgres database is not empty (it has rows in "${filledTables[0]}"): name an empty one, which this would fill`,
      ]);
  return true;
}

const begin = ({ transaction }: Database<unknown>, tallies: ReadonlyMap<string, Tally>): Promise<void> =>
  transaction(async (trx) => {
    await sql`create table ${sql.table(halfMoved)}
      (name text primary key, rows bigint not null, sum text not null, moved bigint not null)`.execute(trx);
    for (const [name, { rows, sum }] of tallies)
      await sql`insert into ${sql.table(halfMoved)} values (${name}, ${rows}, ${sum}, 0)`.execute(trx);
  });

async function moveTable(
  { to, rows: most = batch.rows }: Move,
  { table, rows, moved }: { readonly table: Table; readonly rows: Iterable<Row>; readonly moved: number },
): Promise<void> {
  let done = moved;
  let bytes = 0;
  let waiting: Row[] = [];
  const flush = async () => {
    const page = waiting;
    [waiting, bytes] = [[], 0];
    if (page.length === 0) return;
    await to.transaction(async (trx) => {
      const { numAffectedRows } = await sql`update ${sql.table(halfMoved)} set moved = ${done + page.length}
        where name = ${table.name} and moved = ${done}`.execute(trx);
      if (numAffectedRows !== 1n)
        throw new ConfigError(['Another process is moving into this database: let it end, or stop it first']);
      await trx.executeQuery(insertion(table, page));
    });
    done += page.length;
  };
  for (const row of rows) {
    waiting.push(row);
    for (const value of Object.values(row))
      bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
    if (waiting.length >= most || bytes >= batch.bytes) await flush();
  }
  await flush();
}

/** Returns an insert with one array for each column, so that the statement's text is the same for any number of rows. */
function insertion({ name, columns }: Table, rows: readonly Row[]): CompiledQuery {
  const names = columns.map((column) => `"${column.name}"`).join();
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join();
  return CompiledQuery.raw(
    `insert into "${name}" (${names}) select * from unnest(${arrays})`,
    columns.map((column) => rows.map((row) => row[column.name])),
  );
}

/** Number of rows that a cursor fetches at once from a table that is counted. */
const fetched = 2_000;

/** Counts the rows of a table in Postgres, by a cursor, because not every table has a key by which to continue. */
const tallyInPostgres = (db: Kysely<unknown>, table: Table): Promise<Tally> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      await sql`declare counted cursor for select * from ${sql.table(table.name)}`.execute(trx);
      const tally = createTally();
      for (;;) {
        const { rows } = await sql<Row>`fetch ${sql.lit(fetched)} from counted`.execute(trx);
        for (const row of rows) tally.add(textOf(row, table));
        if (rows.length < fetched) return tally.total();
      }
    });

/** Ends a move if both sides are equal: only then can a bot open the database. */
async function finish(
  { db, transaction }: Database<unknown>,
  { tables, tallies, sequences }: Plan & { readonly sequences: ReadonlyMap<string, number> },
): Promise<void> {
  for (const table of tables) {
    const there = await tallyInPostgres(db, table);
    const here = tallies.get(table.name) ?? emptyTally;
    if (!isSameTally(there, here))
      throw new ConfigError([
        `The table "${table.name}" has ${here.rows} rows here and ${there.rows} there, and they are not the same: drop the Postgres database, create it again, and start over`,
      ]);
  }
  await transaction(async (trx) => {
    const { rows: serials } = await sql<{ name: string; serial: string }>`
      select table_name as name, pg_get_serial_sequence(quote_ident(table_name), column_name) as serial
      from information_schema.columns where table_schema = current_schema()
        and column_default like 'nextval(%'`.execute(trx);
    // An id that was assigned once is not assigned again, even if its row was deleted.
    for (const { name, serial } of serials) {
      const last = sequences.get(name) ?? 0;
      if (last > 0) await sql`select setval(${serial}, ${last})`.execute(trx);
    }
    await sql`drop table ${sql.table(halfMoved)}`.execute(trx);
  });
}
