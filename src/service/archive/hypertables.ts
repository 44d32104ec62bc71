import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { day } from '../../runtime/units.ts';
import type { SeriesName } from './archive.ts';
import { namesOfMarket } from './identity.ts';
import { liquidationsChunk, seriesDescriptions } from './series.ts';

/** A table of many rows, which TimescaleDB keeps in chunks: stretches of time, each a table underneath. */
interface Hypertable {
  readonly table: string;
  /** Market ms. */
  readonly chunk: number;
  /** Columns that say of which market a row is: in a compressed chunk a market's rows lie together. */
  readonly market: readonly string[];
}

const hypertables: readonly Hypertable[] = [
  ...(Object.keys(seriesDescriptions) as SeriesName[]).flatMap((series) => {
    const { table, chunk } = seriesDescriptions[series];
    return chunk === undefined ? [] : [{ table, chunk, market: namesOfMarket(series) }];
  }),
  { table: 'liquidations', chunk: liquidationsChunk, market: ['symbol'] },
];

/** Market ms after its end until a chunk is compressed: what is asked most, and comes late, is about less. */
const rest = day;

/** A table that stays as it is, and why. */
export interface PlainTable {
  readonly table: string;
  readonly problem: string;
  /** SQL that moves its rows. */
  readonly remedy: string;
}

/**
 * Has TimescaleDB keep the tables of many rows, where its extension is in the database; undefined: it is not, and nothing is
 * done. A second time nothing is changed. A table that has rows is left alone: while they are moved nobody can read it.
 */
export async function makeHypertables(
  database: Database<unknown>,
): Promise<{ readonly plain: readonly PlainTable[] } | undefined> {
  if (!(await hasTimescale(database))) return undefined;
  const made = await hypertablesIn(database);
  if (made.size === 0) await withoutJit(database);
  const plain: PlainTable[] = [];
  for (const hypertable of hypertables.filter(({ table }) => !made.has(table))) {
    // Whatever it refuses, a plain table does as well.
    await database
      .transaction(async (trx) => {
        await sql.raw(creation(hypertable)).execute(trx);
        await sql.raw(compression(hypertable)).execute(trx);
      })
      .catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error);
        plain.push({
          table: hypertable.table,
          problem,
          remedy: creation(hypertable, ', migrate_data => true'),
        });
      });
  }
  return { plain };
}

/** As makeHypertables, and says what came of it. */
export async function useTimescale(database: Database<unknown>, log: Logger): Promise<void> {
  const made = await makeHypertables(database);
  if (made === undefined) return;
  const { plain } = made;
  if (plain.length < hypertables.length)
    log.info('TimescaleDB keeps the archive’s large tables in chunks and compresses the old ones');
  if (plain.length > 0) log.warn({ tables: plain }, 'TimescaleDB is there; these tables stay plain');
}

/**
 * Chunks make a short question look so costly that Postgres would compile it first, for a second. Off for this role in this
 * database, and on the connection that is open already.
 */
async function withoutJit({ db }: Database<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select current_database() as name, set_config('jit', 'off', false)`.execute(db);
  // Of several that begin at once one is refused, and it is done.
  for (const { name } of rows)
    await sql`alter role current_user in database ${sql.id(name)} set jit = off`.execute(db).catch(() => {});
}

// The key has the index that questions need.
const creation = ({ table, chunk }: Hypertable, more = ''): string =>
  `select create_hypertable('${table}', by_range('time', ${chunk}), create_default_indexes => false, if_not_exists => true${more})`;

const compression = ({ table, market }: Hypertable): string =>
  `alter table ${table} set (timescaledb.enable_columnstore, timescaledb.segmentby = '${market.join(', ')}',
     timescaledb.orderby = 'time')`;

async function hasTimescale({ dialect, db }: Database<unknown>): Promise<boolean> {
  if (dialect === 'sqlite') return false;
  return (await sql`select 1 from pg_extension where extname = 'timescaledb'`.execute(db)).rows.length > 0;
}

/** Names of those that are compressed as they grow old; none without TimescaleDB. */
export async function hypertablesIn(database: Database<unknown>): Promise<ReadonlySet<string>> {
  if (!(await hasTimescale(database))) return new Set();
  const { rows } = await sql<{ name: string }>`
    select hypertable_name as name from timescaledb_information.hypertables
    where hypertable_schema = current_schema() and compression_enabled`.execute(database.db);
  return new Set(rows.map(({ name }) => name));
}

/** Chunks of which every row is older. */
export async function dropChunks(
  { db }: Database<unknown>,
  { table, before }: { readonly table: string; readonly before: number },
): Promise<void> {
  await sql`select drop_chunks(${table}::regclass, older_than => ${before}::bigint)`.execute(db);
}

/** Those that have ended, and anew those that rows were written into since. */
export async function compressChunks(
  { db }: Database<unknown>,
  { table, now }: { readonly table: string; readonly now: number },
): Promise<void> {
  const { rows } = await sql<{ chunk: string }>`
    select show_chunks(${table}::regclass, older_than => ${now - rest}::bigint)::text as chunk`.execute(db);
  // Each by itself: it is locked for as long as that takes.
  for (const { chunk } of rows) await sql`call convert_to_columnstore(${chunk}::regclass)`.execute(db);
}
