import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../database/database.ts';
import type { SeriesName } from './archive.ts';
import { seriesDescriptions } from './series.ts';

/** Returns the market of a venue as the `symbol` of the series that hold several venues. */
export const marketAt = (venue: string, symbol: string): string => `${venue}/${symbol}`;

/** Splits the result of `marketAt`. A venue's name contains no slash. */
export const venueAndSymbol = (market: string): readonly [venue: string, symbol: string] => {
  const at = market.indexOf('/');
  return [market.slice(0, at), market.slice(at + 1)];
};

const byVenue = (series: SeriesName): boolean => seriesDescriptions[series].byVenue === true;

/** Returns the columns that identify a row's market; the time follows them in the key. */
export const marketColumns = (series: SeriesName): readonly string[] =>
  byVenue(series) ? ['venue', 'symbol'] : ['symbol'];

/** Returns the values of the columns in `marketColumns`. */
export const marketValues = (series: SeriesName, symbol: string): readonly string[] =>
  byVenue(series) ? venueAndSymbol(symbol) : [symbol];

/** Keeps what is built for each series, because a part of a statement takes longer to build than a small statement to run. */
function perSeries<Part>(build: (series: SeriesName) => Part): (series: SeriesName) => Part {
  const built = new Map<SeriesName, Part>();
  return (series) => built.getOrInsertComputed(series, build);
}

export const tableOf = perSeries((series) => sql.table(seriesDescriptions[series].table));

/** The SQL condition that a row of `t` belongs to one market. */
export const belongsTo = (series: SeriesName, symbol: string): RawBuilder<boolean> =>
  allOf(
    marketValues(series, symbol).map(
      (part, at) => sql`${sql.ref(`t.${marketColumns(series)[at]}`)} = ${part}`,
    ),
  );

/** The SQL condition that a row of `alias` belongs to the market in the current row of `symbols`. */
export const belongsToEach = (series: SeriesName, alias: string): RawBuilder<boolean> =>
  allOf(
    marketColumns(series).map((name) => sql`${sql.ref(`${alias}.${name}`)} = ${sql.ref(`symbols.${name}`)}`),
  );

const allOf = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<boolean> =>
  sql.join(conditions, sql` and `) as RawBuilder<boolean>;

/** The SQL list of the columns of `t` that a reader gets. */
export const selectedColumns = perSeries((series) =>
  sql.join([
    sql`${marketOf(series, 't')} as symbol`,
    ...['time', ...seriesDescriptions[series].columns].map((name) => sql.ref(`t.${name}`)),
  ]),
);

export const marketOf = (series: SeriesName, alias: string): RawBuilder<string> =>
  byVenue(series)
    ? sql`${sql.ref(`${alias}.venue`)} || '/' || ${sql.ref(`${alias}.symbol`)}`
    : sql`${sql.ref(`${alias}.symbol`)}`;

/**
 * A WITH clause that defines `symbols`, the markets of a table, by hopping through its key. It needs one seek per market,
 * where `select distinct` would read the whole table (2 ms instead of 300 ms on two years of hourly candles of 100
 * symbols). The last row of each recursion is null.
 */
export const symbolsOf = perSeries((series): RawBuilder<unknown> => {
  const table = tableOf(series);
  return byVenue(series)
    ? sql`
      with recursive venues(venue) as (
        select min(venue) from ${table}
        union all
        select (select min(venue) from ${table} where venue > venues.venue)
        from venues where venues.venue is not null
      ), symbols(venue, symbol) as (
        select venue, (select min(m.symbol) from ${table} m where m.venue = venues.venue) from venues
        union all
        select venue,
          (select min(m.symbol) from ${table} m where m.venue = symbols.venue and m.symbol > symbols.symbol)
        from symbols where symbols.symbol is not null
      )`
    : sql`
      with recursive symbols(symbol) as (
        select min(symbol) from ${table}
        union all
        select (select min(symbol) from ${table} where symbol > symbols.symbol)
        from symbols where symbols.symbol is not null
      )`;
});

export const marketOrder = perSeries((series) =>
  sql.join(marketColumns(series).map((name) => sql.ref(`symbols.${name}`))),
);

/**
 * The part of a statement that joins `symbols` with the newest row `t` at or before `to` of each market. SQLite has no
 * LATERAL; with SQLite's form TimescaleDB would search for the newest time anew at each row of a compressed chunk.
 */
export function newestOfEach(dialect: Dialect, series: SeriesName, to: number): RawBuilder<unknown> {
  const table = tableOf(series);
  const before = sql`${belongsToEach(series, 'm')} and m.time <= ${to}`;
  return dialect === 'postgres'
    ? sql`lateral (select * from ${table} m where ${before} order by m.time desc limit 1) t`
    : sql`${table} t where ${belongsToEach(series, 't')}
        and t.time = (select max(m.time) from ${table} m where ${before})`;
}

/** The query of a series' first time in any market. */
export const firstTimeOf = (series: SeriesName): RawBuilder<{ first: number | null }> => sql`
  ${symbolsOf(series)}
  select min(first) as first from (
    select (select min(m.time) from ${tableOf(series)} m where ${belongsToEach(series, 'm')}) as first
    from symbols where symbols.symbol is not null
  ) firsts`;
