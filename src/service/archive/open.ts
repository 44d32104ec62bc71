import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import type { Archive, SeriesName, SeriesRows, TimeRange } from './archive.ts';
import { columnsOf } from './columns.ts';
import { eventTables } from './events.ts';
import { compressChunks, dropChunks, hypertablesIn, makeHypertables } from './hypertables.ts';
import {
  belongsTo,
  belongsToEach,
  marketColumns,
  marketOf,
  marketOrder,
  marketValues,
  newestOfEach,
  selectedColumns,
  symbolsOf,
  tableOf,
} from './identity.ts';
import { migrations } from './migrations.ts';
import { auditsKept, liquidationsKept, qualityKept, seriesDescriptions } from './series.ts';
import { upsert } from './upsert.ts';

/** The first and the last row of a window, and how many there are; `offStep` of them do not lie on a step. */
interface Edges {
  readonly first: number | null;
  readonly last: number | null;
  readonly count: number;
  readonly offStep: number;
}

/**
 * Opens the archive and brings its tables up to date.
 * @param url `file:PATH`, `file::memory:` or `postgres://…`
 * @throws ConfigError if the database cannot be opened
 */
export async function openArchive(url: string): Promise<Archive> {
  const database = await openDatabase<unknown>(url, { migrations });
  await makeHypertables(database);
  return archiveIn(database);
}

/** Returns the archive in a database whose tables are up to date. Closing the archive closes the database. */
export function archiveIn(database: Database<unknown>): Archive {
  const { db } = database;
  const rows = async <Row>(query: RawBuilder<Row>) => (await query.execute(db)).rows;

  const read: Archive['read'] = (series, { symbol, window: { from, to } }) =>
    rows(sql<SeriesRows[typeof series]>`
      select ${selectedColumns(series)} from ${tableOf(series)} t
      where ${belongsTo(series, symbol)} and time between ${from} and ${to} order by time`);

  const last: Archive['last'] = async (series, { symbol, count, to }) => {
    const newestFirst = await rows(sql<SeriesRows[typeof series]>`
      select ${selectedColumns(series)} from ${tableOf(series)} t
      where ${belongsTo(series, symbol)} and time <= ${to} order by time desc limit ${count}`);
    return newestFirst.reverse();
  };

  return {
    async write(series, written) {
      const { table, columns, final } = seriesDescriptions[series];
      const key = [...marketColumns(series), 'time'];
      const numbers = ['time', ...columns];
      await upsert(database, {
        target: { table, columns: [...key, ...columns], key, conflict: final ? 'keep' : 'replace' },
        rows: written,
        values: (row) => [
          ...marketValues(series, row.symbol),
          ...numbers.map((name) => row[name as keyof typeof row] as number),
        ],
      });
    },

    read,
    last,
    columns: async (series, given) =>
      columnsOf(
        await ('window' in given ? read(series, given) : last(series, given)),
        seriesDescriptions[series].columns,
      ),

    latest: (series, to) =>
      rows(sql<SeriesRows[typeof series]>`
        ${symbolsOf(series)}
        select ${selectedColumns(series)} from symbols cross join ${newestOfEach(database.dialect, series, to)}
        order by ${marketOrder(series)}`),

    readAll: (series, { from, to }) =>
      rows(sql<SeriesRows[typeof series]>`
        ${symbolsOf(series)}
        select ${selectedColumns(series)} from symbols cross join ${tableOf(series)} t
        where ${belongsToEach(series, 't')} and t.time between ${from} and ${to}
        order by ${marketOrder(series)}, t.time`),

    async gaps(series, { symbol, window: { from, to, step, irregular = false } }) {
      // If rows lie closer than a step, the smaller of the two neighbouring distances is the step that counts.
      const stepSql = sql`cast(${step} as bigint)`;
      const usualStep = sql`case when before < ${stepSql} and (after is null or before <= after) then before
            when after < ${stepSql} then after else ${stepSql} end`;
      const distances = sql`(
        select time, lead(time) over (order by time) - time as distance
        from ${tableOf(series)} t where ${belongsTo(series, symbol)} and time between ${from} and ${to}
      ) distances`;
      const measured = irregular
        ? sql`(
            select time, distance, ${usualStep} as usual from (
              select time, distance, lag(distance) over (order by time) as before,
                lead(distance) over (order by time) as after
              from ${distances}
            ) neighbours
          ) gaps`
        : sql`(select time, distance, ${stepSql} as usual from ${distances}) gaps`;
      const [edges] = await rows(sql<Edges>`
        select min(time) as first, max(time) as last, count(*) as count,
          count(*) filter (where time % ${stepSql} <> 0) as "offStep"
        from ${tableOf(series)} t where ${belongsTo(series, symbol)} and time between ${from} and ${to}`);
      if (edges === undefined || edges.first === null || edges.last === null) {
        return from <= to ? [{ from, to }] : [];
      }
      // With one row at each step nothing is missing. To count takes a tenth of the time of comparing all neighbours.
      const isFull = edges.offStep === 0 && edges.count === (edges.last - edges.first) / step + 1;
      // A gap is longer than one and a half steps: a row that is a little late is not missing.
      const found = isFull
        ? []
        : await rows(sql<TimeRange>`
            select time + usual as "from", time + distance - usual as "to"
            from ${measured} where 2 * distance > 3 * usual order by time`);
      return [
        ...(edges.first - from >= step ? [{ from, to: edges.first - step }] : []),
        ...found.map((span) => ({ from: span.from, to: span.to })),
        ...(to - edges.last >= step ? [{ from: edges.last + step, to }] : []),
      ];
    },

    ...eventTables(database),

    async prune(now) {
      const hypertables = await hypertablesIn(database);
      for (const series of Object.keys(seriesDescriptions) as SeriesName[]) {
        const { table, keepFor } = seriesDescriptions[series];
        const before = now - keepFor;
        if (hypertables.has(table)) {
          await dropChunks(database, table, before);
          continue;
        }
        const symbols = await rows(sql<{ name: string }>`
          ${symbolsOf(series)}
          select ${marketOf(series, 'symbols')} as name from symbols where symbols.symbol is not null`);
        // One statement per symbol: the key begins with the symbol, and no statement takes long.
        for (const { name } of symbols) {
          await sql`delete from ${tableOf(series)} as t where ${belongsTo(series, name)} and time < ${before}`.execute(
            db,
          );
        }
      }
      if (hypertables.has('liquidations')) await dropChunks(database, 'liquidations', now - liquidationsKept);
      else await sql`delete from liquidations where time < ${now - liquidationsKept}`.execute(db);
      await sql`delete from quality where time < ${now - qualityKept}`.execute(db);
      await sql`delete from audits where time < ${now - auditsKept}`.execute(db);
      for (const table of hypertables) await compressChunks(database, table, now);
      await database.shrink();
    },

    async ping() {
      await sql`select 1`.execute(db);
    },

    close: () => database.close(),
  };
}
