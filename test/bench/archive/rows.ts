import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#src/database/open.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive } from '#src/service/archive/archive.ts';
import { makeHypertables } from '#src/service/archive/hypertables.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { archiveIn } from '#src/service/archive/open.ts';
import { timescale } from '../../support/needs.ts';
import { query, serverNoted } from '../../support/postgres.ts';
import { servePostgres } from '../../support/postgres-server.ts';
import { seeded } from '../../support/random.ts';
import { startTimescale } from '../../support/timescale.ts';
import { type Figure, percentile, report } from '../measuring/figures.ts';
import { inFolder, load } from '../measuring/program.ts';

/**
 * What rows cost: a million is ten days of 25 markets, of all series that have many rows, written in the order in which they
 * come. Measured are writing, size on the disk, and the most frequent queries.
 */

const begin = Date.parse('2020-01-01');
/** Market days, which is as long as most series are kept. A market has some 40,000 rows in them. */
const days = 10;
const end = begin + days * day;
const marketsOfAMillion = 25;
const venues = ['bybit', 'hyperliquid', 'okx'];
const questions = 200;
/** Markets whose rows of a day are made at once: 984,000 rows, however many markets there are. */
const marketsAtOnce = 250;

/** Returns the size of a database on a server, whose files cannot be looked at, in bytes. */
const sizeOf = async (url: string) =>
  Number((await query(url, 'select pg_database_size(current_database()) as size'))[0]?.size);

export const costInSqlite = (millions: number): Promise<void> =>
  inFolder(async (folder) => {
    const path = join(folder, 'archive.db');
    await measure('SQLite', { url: `file:${path}`, size: async () => statSync(path).size, millions });
  });

export async function costInPostgres(millions: number): Promise<void> {
  const server = await servePostgres();
  try {
    const url = await (await serverNoted(server.note)).fresh();
    await measure('Postgres', { url, size: () => sizeOf(url), millions });
  } finally {
    await server.stop();
  }
}

/** Does nothing without Debian's package of TimescaleDB. */
export async function costInTimescale(millions: number): Promise<void> {
  if (!existsSync(timescale)) return;
  const server = await startTimescale();
  try {
    const url = await server.fresh();
    await measure('TimescaleDB', { url, size: () => sizeOf(url), millions });
  } finally {
    await server.stop();
  }
}

async function measure(
  name: string,
  {
    url,
    size,
    millions,
  }: { readonly url: string; readonly size: () => Promise<number>; readonly millions: number },
): Promise<void> {
  const database = await openDatabase<unknown>(url, { migrations });
  const hypertables = await makeHypertables(database);
  const archive = archiveIn(database);
  const symbols = Array.from({ length: millions * marketsOfAMillion }, (_, n) => `S${n}USDT`);
  try {
    const [empty, begun] = [await size(), performance.now()];
    const rows = await writeAll(archive, symbols);
    const seconds = (performance.now() - begun) / 1_000;
    const cost = async (): Promise<Figure[]> => [
      { name: 'on the disk', value: ((await size()) - empty) / rows, unit: 'bytes/row' },
      ...(await asked(archive, symbols)),
    ];
    report(`${name}: ${millions} million rows`, [
      { name: 'written', value: rows / seconds, unit: 'rows/s' },
      ...(await cost()),
      load(),
    ]);
    if (hypertables === undefined) return;
    const pruned = performance.now();
    await archive.prune(end);
    report(`${name}: the same, all but the last days compressed`, [
      { name: 'compressed in', value: (performance.now() - pruned) / 1_000, unit: 's' },
      ...(await cost()),
      load(),
    ]);
  } finally {
    await archive.close();
  }
}

/** Writes day after day of all markets, with prices that wander and as many digits as exchanges publish. */
async function writeAll(archive: Archive, symbols: readonly string[]): Promise<number> {
  const random = seeded(7);
  const prices = new Map(symbols.map((symbol) => [symbol, 0.1 + 1_000 * random() ** 4]));
  const rounded = (value: number) => Number(value.toPrecision(7));
  const wander = (symbol: string): number => {
    const price = (prices.get(symbol) ?? 1) * (1 + 0.001 * (random() - 0.5));
    prices.set(symbol, price);
    return price;
  };
  const mark = (symbol: string, time: number) => {
    const [markPrice, indexPrice] = [rounded(wander(symbol)), rounded(wander(symbol))];
    return { symbol, time, markPrice, indexPrice, estFunding: Math.round(1e4 * (random() - 0.4)) / 1e8 };
  };
  const interest = (symbol: string, time: number) => {
    const contracts = Math.round(1e6 * (1 + random() / 50));
    return { symbol, time, contracts, valueUsd: rounded(contracts * wander(symbol)) };
  };
  const pagesOf = (midnight: number, some: readonly string[]) => {
    const each = <Row>(step: number, row: (symbol: string, time: number) => Row): Row[] =>
      Array.from({ length: day / step }, (_, n) => midnight + n * step).flatMap((time) =>
        some.map((symbol) => row(symbol, time)),
      );
    const elsewhere = <Row extends { readonly symbol: string }>(row: (symbol: string, time: number) => Row) =>
      venues.flatMap((venue) =>
        each(5 * minute, row).map((one) => ({ ...one, symbol: marketAt(venue, one.symbol) })),
      );
    const ratio = () =>
      each(15 * minute, (symbol, time) => ({ symbol, time, longRatio: rounded(0.4 + random() / 5) }));
    const book = each(minute, (symbol, time) => {
      const price = wander(symbol);
      const [bidPrice, askPrice] = [rounded(price), rounded(price * 1.0001)];
      return { symbol, time, bidPrice, askPrice, imbalance: random() * 2 - 1 };
    });
    return {
      book,
      marks: each(5 * minute, mark),
      openInterest: each(5 * minute, interest),
      topRatio: ratio(),
      globalRatio: ratio(),
      venueMarks: elsewhere(mark).map((one) => ({ ...one, fundingHours: 8 })),
      venueOpenInterest: elsewhere(interest),
    };
  };
  let rows = 0;
  for (let midnight = begin; midnight < end; midnight += day)
    for (let first = 0; first < symbols.length; first += marketsAtOnce) {
      const pages = pagesOf(midnight, symbols.slice(first, first + marketsAtOnce));
      for (const [series, page] of Object.entries(pages)) {
        await archive.write(series as 'book', page as typeof pages.book);
        rows += page.length;
      }
    }
  return rows;
}

/** Measures the median and p99 of the queries that answers are made from, over all markets in turn. */
async function asked(archive: Archive, symbols: readonly string[]): Promise<Figure[]> {
  const to = end;
  const ways: Readonly<Record<string, (symbol: string) => Promise<unknown>>> = {
    'the last day of a market': (symbol) =>
      archive.read('openInterest', { symbol, window: { from: to - 24 * hour, to } }),
    'ten days of a market': (symbol) =>
      archive.columns('openInterest', { symbol, window: { from: begin, to } }),
    'the newest of all markets': () => archive.latest('openInterest', to),
    'the newest of all markets of three venues': () => archive.latest('venueMarks', to),
  };
  const figures: Figure[] = [];
  for (const [name, ask] of Object.entries(ways)) {
    const times: number[] = [];
    for (let n = 0; n < questions; n++) {
      const begun = performance.now();
      await ask(symbols[n % symbols.length] ?? '');
      times.push(performance.now() - begun);
    }
    figures.push(
      { name: `${name}, median`, value: percentile(times, 0.5), unit: 'ms' },
      { name: `${name}, p99`, value: percentile(times, 0.99), unit: 'ms' },
    );
  }
  return figures;
}
