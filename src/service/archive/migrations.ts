import { type Kysely, sql } from 'kysely';
import type { Dialect, Migrations } from '../../database/database.ts';

/** The series of the primary venue's markets, with their numeric columns. */
const venueSeries: Readonly<Record<string, readonly string[]>> = {
  candles_5m: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
  candles_1h: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
  candles_1d: ['open', 'high', 'low', 'close', 'volume', 'takerBuy', 'quoteVolume'],
  funding: ['rate'],
  open_interest: ['contracts', 'valueUsd'],
  marks: ['markPrice', 'indexPrice', 'estFunding'],
  top_ratio: ['longRatio'],
  global_ratio: ['longRatio'],
  book: ['bidPrice', 'askPrice', 'imbalance'],
};
/** Tables that hold the data of one venue, the primary one; all other tables stay when the venue changes. */
export const venueTables: readonly string[] = [...Object.keys(venueSeries), 'liquidations'];

const create = (
  db: Kysely<unknown>,
  {
    dialect,
    table,
    columns,
    key,
  }: { readonly dialect: Dialect; readonly table: string; readonly columns: string; readonly key: string },
) => {
  // The table is stored as its key's index: otherwise that index would store every row once more.
  const suffix = dialect === 'sqlite' ? 'without rowid' : '';
  return sql.raw(`create table ${table} (${columns}, primary key (${key})) ${suffix}`).execute(db);
};

const createSeries = (
  db: Kysely<unknown>,
  {
    dialect,
    table,
    numbers,
  }: { readonly dialect: Dialect; readonly table: string; readonly numbers: readonly string[] },
) => {
  const columns = numbers.map((name) => `"${name}" double precision not null`);
  return create(db, {
    dialect,
    table,
    columns: `symbol text not null, time bigint not null, ${columns.join(', ')}`,
    key: 'symbol, time',
  });
};

/** Creates the named tables of the venue, without the index of the liquidations (`createLiquidationIndex`). */
export async function createVenueTables(
  db: Kysely<unknown>,
  dialect: Dialect,
  tables: readonly string[],
): Promise<void> {
  for (const table of tables) {
    const numbers = venueSeries[table];
    if (numbers !== undefined) await createSeries(db, { dialect, table, numbers });
    // The exchange gives liquidations no id: the whole record is the key, so that a record fetched twice is one row.
    else
      await create(db, {
        dialect,
        table,
        columns: `time bigint not null, symbol text not null, side text not null,
         price double precision not null, quantity double precision not null`,
        key: 'time, symbol, side, price, quantity',
      });
  }
}

export const createLiquidationIndex = (db: Kysely<unknown>) =>
  sql.raw('create index liquidations_of_symbol on liquidations (symbol, time)').execute(db);

/** The columns of each series of numbers that no venue's tables hold. */
const otherSeries: Readonly<Record<string, readonly string[]>> = {
  options: ['callOI', 'putOI', 'maxPain', 'avgIV'],
  observations: ['value'],
  market_regimes: ['riskOn', 'riskOff', 'state', 'trend', 'volatilityPercentile', 'model'],
};

const otherTables: readonly (readonly [table: string, columns: string, key: string])[] = [
  [
    'quality',
    'time bigint not null, score double precision not null, grade text not null, status text not null, summary text not null',
    'time',
  ],
  ['feeds', 'feed text not null, "lastUpdate" bigint, problem text', 'feed'],
  ['documents', 'key text not null, json text not null', 'key'],
  // Access control (access/store.ts). Keys, tokens and passwords are not stored, only hashes that recognise them.
  ['accounts', 'email text not null, password text not null, "createdAt" bigint not null', 'email'],
  [
    'api_keys',
    'id text not null, digest text not null, name text not null, owner text, "requestLimit" bigint, "createdAt" bigint not null, "revokedAt" bigint',
    'id',
  ],
  [
    'sessions',
    'id text not null, digest text not null, email text not null, "expiresAt" bigint not null',
    'id',
  ],
  // Data of the venues other than the primary one: each table holds the rows of several venues.
  [
    'venue_marks',
    `venue text not null, symbol text not null, time bigint not null, "markPrice" double precision not null,
      "indexPrice" double precision not null, "estFunding" double precision not null, "fundingHours" double precision not null`,
    'venue, symbol, time',
  ],
  [
    'venue_open_interest',
    `venue text not null, symbol text not null, time bigint not null, contracts double precision not null,
      "valueUsd" double precision not null`,
    'venue, symbol, time',
  ],
  [
    'venue_funding',
    'venue text not null, symbol text not null, time bigint not null, rate double precision not null',
    'venue, symbol, time',
  ],
  [
    'audits',
    `time bigint not null, value text not null, symbol text not null, venue text not null, role text not null,
      verdict text not null, published double precision, "publishedAt" bigint, asked double precision, "askedAt" bigint,
      difference double precision, allowed double precision, reason text, detail text`,
    'time, value, symbol, venue',
  ],
  // If several services share one archive, one of them collects (`lease`), and all count the requests of each key.
  ['lease', 'role text not null, owner text not null, token bigint not null, until bigint not null', 'role'],
  ['key_usage', 'id text not null, day bigint not null, requests bigint not null', 'id, day'],
];

/**
 * The tables of version 1.0. Databases of people have them: what comes later is a migration of its own, after this one. The
 * column types are those that both databases read alike: `double precision` and `bigint` are 8-byte numbers on Postgres and
 * have REAL and INTEGER affinity on SQLite. Symbols are text: as numbers with a dictionary they would save about 7 bytes a
 * row, 25 MB of the 100-symbol archive, and cost a join everywhere.
 */
export const migrations = (dialect: Dialect): Migrations => ({
  'archive 1.0': {
    async up(db) {
      await createVenueTables(db, dialect, venueTables);
      await createLiquidationIndex(db);
      for (const [table, numbers] of Object.entries(otherSeries))
        await createSeries(db, { dialect, table, numbers });
      for (const [table, columns, key] of otherTables) await create(db, { dialect, table, columns, key });
      await sql`create index sessions_of_email on sessions (email)`.execute(db);
    },
  },
});
