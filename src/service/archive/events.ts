import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { day } from '../../runtime/units.ts';
import type { Archive, DataCheck, FeedState, Liquidation, QualityRow } from './archive.ts';
import { marketAt } from './identity.ts';
import { type Target, upsert, type Value } from './upsert.ts';

type EventTables = Pick<
  Archive,
  | 'writeLiquidations'
  | 'liquidations'
  | 'writeQuality'
  | 'quality'
  | 'writeDataChecks'
  | 'audits'
  | 'writeFeed'
  | 'feeds'
  | 'put'
  | 'get'
>;

/** Reads and writes the tables beside the series: one row per event, hour, check, feed or document. */
export function eventTables(database: Database<unknown>): EventTables {
  const { db } = database;
  const rows = async <Row>(query: RawBuilder<Row>) => (await query.execute(db)).rows;
  const write = <Column extends string>(
    target: Target<Column>,
    written: readonly Readonly<Record<Column, Value>>[],
  ) => upsert(database, { target, rows: written, values: (row) => target.columns.map((name) => row[name]) });

  return {
    writeLiquidations: (written) => write(liquidationTable, written),

    liquidations: ({ symbol, venues = [], after, to, limit }) =>
      rows(sql<Liquidation>`
        select symbol, time, side, price, quantity from liquidations
        where time <= ${to} ${after === undefined ? sql`` : sql`and time > ${after}`}
          ${symbol === undefined ? (venues.length > 0 ? sql`` : sql`and symbol not like '%/%'`) : sql`and symbol in (${sql.join([symbol, ...venues.map((venue) => marketAt(venue, symbol))])})`}
        order by time desc, symbol, side, price, quantity limit ${limit}`),

    writeQuality: (row) => write(qualityTable, [row]),

    quality: ({ from, to }) =>
      rows(sql<QualityRow>`select * from quality where time between ${from} and ${to} order by time`),

    writeDataChecks: (written) => write(dataCheckTable, written),

    async audits({ from, to }) {
      const found: DataCheck[] = [];
      const [oldest] = await rows(sql<{ time: number | null }>`select min(time) as time from audits`);
      const first = Math.max(from, oldest?.time ?? Number.POSITIVE_INFINITY);
      // A month has 65,000 rows. They are read a day at a time, so that other work need not wait for all of them.
      for (let begin = first; begin <= to; begin += day) {
        if (begin > first) await yieldToOthers();
        const part = await rows(sql<DataCheck>`
          select * from audits where time between ${begin} and ${Math.min(to, begin + day - 1)}
          order by time, value, symbol, venue`);
        found.push(...part);
      }
      return found;
    },

    writeFeed: (state) => write(feedTable, [state]),

    feeds: () => rows(sql<FeedState>`select * from feeds order by feed`),

    put: (key, value) => write(documentTable, [{ key, json: JSON.stringify(value) }]),

    async get(key) {
      const [document] = await rows(sql<{ json: string }>`select json from documents where key = ${key}`);
      return document === undefined ? undefined : JSON.parse(document.json);
    },
  };
}

const liquidationTable = {
  table: 'liquidations',
  columns: ['time', 'symbol', 'side', 'price', 'quantity'],
  key: ['time', 'symbol', 'side', 'price', 'quantity'],
  conflict: 'keep',
} as const;

const qualityTable = {
  table: 'quality',
  columns: ['time', 'score', 'grade', 'status', 'summary'],
  key: ['time'],
  conflict: 'replace',
} as const;

const dataCheckTable = {
  table: 'audits',
  columns: [
    'time',
    'value',
    'symbol',
    'venue',
    'role',
    'verdict',
    'published',
    'publishedAt',
    'asked',
    'askedAt',
    'difference',
    'allowed',
    'reason',
    'detail',
  ],
  key: ['time', 'value', 'symbol', 'venue'],
  conflict: 'replace',
} as const;

const feedTable = {
  table: 'feeds',
  columns: ['feed', 'lastUpdate', 'problem'],
  key: ['feed'],
  conflict: 'replace',
} as const;

const documentTable = {
  table: 'documents',
  columns: ['key', 'json'],
  key: ['key'],
  conflict: 'replace',
} as const;
