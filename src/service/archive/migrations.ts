import { type Kysely, sql } from 'kysely';
import type { Dialect, Migrations } from '../../database/database.ts';

/** The series of the primary venue's markets, with their numeric columns. */
const venueSeries: Readonly<Record<string, readonly string[]>> = {
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
  { dialect, tables }: { readonly dialect: Dialect; readonly tables: readonly string[] },
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

/**
 * The tables of the archive and of access control. The column types are those that both databases read alike: `double
 * precision` and `bigint` are 8-byte numbers on Postgres and have REAL and INTEGER affinity on SQLite. Symbols are text: as
 * numbers with a dictionary they would save about 7 bytes a row, 25 MB of the 100-symbol archive, and cost a join everywhere.
 */
export const migrations = (dialect: Dialect): Migrations => {
  const make = (db: Kysely<unknown>, table: string, columns: string, key: string) =>
    create(db, { dialect, table, columns, key });

  return {
    '001_archive': {
      async up(db: Kysely<unknown>) {
        await createVenueTables(db, { dialect, tables: venueTables });
        await createLiquidationIndex(db);
        for (const [table, numbers] of Object.entries({
          options: ['callOI', 'putOI', 'maxPain', 'avgIV'],
          observations: ['value'],
        }))
          await createSeries(db, { dialect, table, numbers });
        await make(
          db,
          'regimes',
          `time bigint not null, state text not null, label text not null, "riskOn" double precision not null,
         "riskOff" double precision not null, transition double precision not null,
         score double precision not null, multiplier double precision not null, volatility text not null,
         "volatilityPercentile" double precision not null, model text not null`,
          'time',
        );
        await make(
          db,
          'quality',
          `time bigint not null, score double precision not null, grade text not null, status text not null,
         summary text not null`,
          'time',
        );
        await make(db, 'feeds', 'feed text not null, "lastUpdate" bigint, problem text', 'feed');
        await make(db, 'documents', 'key text not null, json text not null', 'key');
      },
    },
    // Access control (access/store.ts). Keys, tokens and passwords are not stored, only hashes that recognise them.
    '002_access': {
      async up(db: Kysely<unknown>) {
        await make(
          db,
          'accounts',
          'email text not null, password text not null, "createdAt" bigint not null',
          'email',
        );
        await make(
          db,
          'api_keys',
          `id text not null, digest text not null, name text not null, "requestLimit" bigint,
         "createdAt" bigint not null, "revokedAt" bigint`,
          'id',
        );
        await make(
          db,
          'sessions',
          'id text not null, digest text not null, email text not null, "expiresAt" bigint not null',
          'id',
        );
        await sql.raw('create index sessions_of_email on sessions (email)').execute(db);
      },
    },
    // Data of the venues other than the primary one: each table holds the rows of several venues.
    '003_venues': {
      async up(db: Kysely<unknown>) {
        for (const [table, numbers] of Object.entries({
          venue_marks: ['markPrice', 'indexPrice', 'estFunding', 'fundingHours'],
          venue_open_interest: ['contracts', 'valueUsd'],
        })) {
          const columns = numbers.map((name) => `"${name}" double precision not null`);
          await make(
            db,
            table,
            `venue text not null, symbol text not null, time bigint not null, ${columns.join(', ')}`,
            'venue, symbol, time',
          );
        }
      },
    },
    '004_audits': {
      async up(db: Kysely<unknown>) {
        await make(
          db,
          'audits',
          `time bigint not null, value text not null, symbol text not null, venue text not null,
         role text not null, verdict text not null, published double precision, "publishedAt" bigint,
         asked double precision, "askedAt" bigint, difference double precision, allowed double precision,
         reason text, detail text`,
          'time, value, symbol, venue',
        );
      },
    },
    // If several services share one archive, one of them collects (`lease`), and all count the requests of each key.
    '005_services': {
      async up(db: Kysely<unknown>) {
        await make(
          db,
          'lease',
          'role text not null, owner text not null, token bigint not null, until bigint not null',
          'role',
        );
        await make(
          db,
          'key_usage',
          'id text not null, day bigint not null, requests bigint not null',
          'id, day',
        );
      },
    },
    // Settlements of the venues other than the primary one.
    '006_venue_funding': {
      async up(db: Kysely<unknown>) {
        await make(
          db,
          'venue_funding',
          'venue text not null, symbol text not null, time bigint not null, rate double precision not null',
          'venue, symbol, time',
        );
      },
    },
    // The broad dollar was stamped with the end of its day. It now has the time of its publication, eight days later.
    '007_broad_dollar': {
      async up(db: Kysely<unknown>) {
        for (const statement of [
          `insert into observations (symbol, time, value) select 'broad_dollar_moved', time + 691200000, value
           from observations where symbol = 'broad_dollar'`,
          `delete from observations where symbol = 'broad_dollar'`,
          `insert into observations (symbol, time, value) select 'broad_dollar', time, value
           from observations where symbol = 'broad_dollar_moved'`,
          `delete from observations where symbol = 'broad_dollar_moved'`,
        ])
          await sql.raw(statement).execute(db);
      },
    },
    // Regimes were those of bitcoin alone, with their words stored. Model 0 is the one of before.
    '008_market_regimes': {
      async up(db: Kysely<unknown>) {
        const numbers = ['riskOn', 'riskOff', 'state', 'trend', 'volatilityPercentile', 'model'];
        await createSeries(db, { dialect, table: 'market_regimes', numbers });
        const columns = numbers.map((name) => `"${name}"`).join(', ');
        for (const statement of [
          `insert into market_regimes (symbol, time, ${columns})
           select 'BTCUSDT', time, "riskOn", "riskOff",
             case state when 'RISK_ON' then 1 when 'RISK_OFF' then -1 else 0 end,
             case when state = 'RISK_ON' or (state = 'TRANSITION' and label = 'DISTRIBUTION') then 1 else -1 end,
             "volatilityPercentile", 0 from regimes`,
          'drop table regimes',
          `delete from documents where key = 'regime-walk' or key like 'regime-model %'`,
        ])
          await sql.raw(statement).execute(db);
      },
    },
  };
};
