import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { day } from '../../runtime/units.ts';
import type { SeriesName } from './archive.ts';
import { marketColumns } from './identity.ts';
import { liquidationsChunk, seriesDescriptions } from './series.ts';

/** A table of many rows, which TimescaleDB keeps in chunks: one underlying table per stretch of time. */
interface Hypertable {
  readonly table: string;
  /** The time that a chunk covers, market ms. */
  readonly chunk: number;
  /** Columns that identify a row's market: a compressed chunk stores the rows of a market together. */
  readonly market: readonly string[];
}

const hypertables: readonly Hypertable[] = [
  ...(Object.keys(seriesDescriptions) as SeriesName[]).flatMap((series) => {
    const { table, chunk } = seriesDescriptions[series];
    return chunk === undefined ? [] : [{ table, chunk, market: marketColumns(series) }];
  }),
  { table: 'liquidations', chunk: liquidationsChunk, market: ['symbol'] },
];

/** How long after its end a chunk is compressed, market ms. Most reads, and rows that arrive late, concern newer data. */
const compressAfter = day;

/** A table that TimescaleDB does not keep in chunks, and why. */
interface PlainTable {
  readonly table: string;
  readonly problem: string;
  /** SQL that converts the table and moves its rows into chunks. */
  readonly remedy: string;
}

/**
 * Lets TimescaleDB keep the tables of many rows in chunks. Without its extension in the database it does nothing and
 * returns undefined. Repeated calls change nothing. A table that has rows is left alone, since nobody could read it while
 * its rows are moved.
 */
export async function makeHypertables(
  database: Database<unknown>,
): Promise<{ readonly plain: readonly PlainTable[] } | undefined> {
  if (!(await hasTimescale(database))) return undefined;
  const existing = await hypertablesIn(database);
  if (existing.size === 0) await disableJit(database);
  const plain: PlainTable[] = [];
  for (const hypertable of hypertables.filter(({ table }) => !existing.has(table))) {
    // If TimescaleDB refuses, a plain table works as well.
    await database
      .transaction(async (trx) => {
        await sql.raw(creationSql(hypertable)).execute(trx);
        await sql.raw(compressionSql(hypertable)).execute(trx);
      })
      .catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        plain.push({
          table: hypertable.table,
          problem,
          remedy: creationSql(hypertable, ', migrate_data => true'),
        });
      });
  }
  return { plain };
}

/** Calls makeHypertables and logs the result. */
export async function useTimescale(database: Database<unknown>, log: Logger): Promise<void> {
  const result = await makeHypertables(database);
  if (result === undefined) return;
  const { plain } = result;
  if (plain.length < hypertables.length)
    log.info('TimescaleDB keeps the archive’s large tables in chunks and compresses the old ones');
  if (plain.length > 0) log.warn({ tables: plain }, 'TimescaleDB is there; these tables stay plain');
}

/**
 * Turns off just-in-time compilation for this role in this database, and on the connection that is already open. Chunks
 * make a short query look so costly that Postgres would first compile it, which takes a second.
 */
async function disableJit({ db }: Database<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select current_database() as name, set_config('jit', 'off', false)`.execute(db);
  // If several processes start at once, one of their statements is refused, but the setting is made.
  for (const { name } of rows)
    await sql`alter role current_user in database ${sql.id(name)} set jit = off`.execute(db).catch(() => {});
}

// No default index is created: the primary key is the index that queries need.
const creationSql = ({ table, chunk }: Hypertable, more = ''): string =>
  `select create_hypertable('${table}', by_range('time', ${chunk}), create_default_indexes => false, if_not_exists => true${more})`;

const compressionSql = ({ table, market }: Hypertable): string =>
  `alter table ${table} set (timescaledb.enable_columnstore, timescaledb.segmentby = '${market.join(', ')}',
     timescaledb.orderby = 'time')`;

async function hasTimescale({ dialect, db }: Database<unknown>): Promise<boolean> {
  if (dialect === 'sqlite') return false;
  return (await sql`select 1 from pg_extension where extname = 'timescaledb'`.execute(db)).rows.length > 0;
}

/** Returns the names of the tables that are compressed as they grow old; none without TimescaleDB. */
export async function hypertablesIn(database: Database<unknown>): Promise<ReadonlySet<string>> {
  if (!(await hasTimescale(database))) return new Set();
  const { rows } = await sql<{ name: string }>`
    select hypertable_name as name from timescaledb_information.hypertables
    where hypertable_schema = current_schema() and compression_enabled`.execute(database.db);
  return new Set(rows.map(({ name }) => name));
}

/** Drops the chunks in which every row is older than `before`. Another process may be doing the same. */
export async function dropChunks({ db }: Database<unknown>, table: string, before: number): Promise<void> {
  const chunks = sql`${table}::regclass, older_than => ${before}::bigint`;
  await sql`select drop_chunks(${chunks})`.execute(db).catch(async (error: unknown) => {
    const { rows: left } = await sql`select show_chunks(${chunks})`.execute(db);
    if (left.length > 0) throw error;
  });
}

/**
 * Compresses the chunks that have ended, and again those that rows were written into since. Another process may be doing the
 * same: the chunks that it compresses, or drops, are left to it.
 */
export async function compressChunks({ db }: Database<unknown>, table: string, now: number): Promise<void> {
  const { rows } = await sql<{ chunk: string }>`
    select show_chunks(${table}::regclass, older_than => ${now - compressAfter}::bigint)::text as chunk`.execute(
    db,
  );
  // One statement per chunk, because a chunk is locked while it is compressed.
  for (const { chunk } of rows)
    await sql`call convert_to_columnstore(${chunk}::regclass)`.execute(db).catch(async (error: unknown) => {
      const { rows: left } = await sql`
        select 1 from timescaledb_information.chunks
        where format('%I.%I', chunk_schema, chunk_name) = ${chunk} and not is_compressed`.execute(db);
      if (left.length > 0) throw error;
    });
}
