import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runRestore } from '#src/app/cli/backup.ts';
import { openDatabase } from '#src/database/open.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Archive, Book, Liquidation, Mark, OpenInterest } from '#src/service/archive/archive.ts';
import { openHeldVenue } from '#src/service/archive/held-venue.ts';
import { hypertablesIn, makeHypertables } from '#src/service/archive/hypertables.ts';
import { marketAt } from '#src/service/archive/identity.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { archiveIn, openArchive } from '#src/service/archive/open.ts';
import { ownFolder } from '#test/support/folder.ts';
import { describeWith } from '#test/support/needs.ts';
import { query, type Server, startPostgres } from '#test/support/postgres.ts';
import { startTimescale } from '#test/support/timescale.ts';

/** Start of a day, so that chunks begin with it. */
const start = Date.UTC(2026, 0, 1);
/** Days of a market's rows. */
const days = 9;
const end = start + days * day;
const symbols = ['AUSDT', 'BUSDT', '牛来USDT'];
const large = [
  'book',
  'candles_1h',
  'global_ratio',
  'liquidations',
  'marks',
  'open_interest',
  'top_ratio',
  'venue_marks',
  'venue_open_interest',
];

/** Every half an hour, and a few minutes late from the third day on. */
const times = Array.from(
  { length: days * 48 },
  (_, n) => start + n * 30 * minute + (n > 96 ? 3 * minute : 0),
);
const books: readonly Book[] = symbols.flatMap((symbol, index) =>
  times.map((time, n) => ({
    symbol,
    time,
    bidPrice: 100 + index + Math.sin(n),
    askPrice: 101 + index + Math.sin(n),
    imbalance: Math.cos(n),
  })),
);
const marks: readonly Mark[] = books.map(({ symbol, time, bidPrice }) => ({
  symbol,
  time,
  markPrice: bidPrice,
  indexPrice: bidPrice - 0.25,
  estFunding: 0.0001,
}));
const elsewhere: readonly OpenInterest[] = ['bybit', 'okx'].flatMap((venue) =>
  books.map(({ symbol, time, bidPrice }) => ({
    symbol: marketAt(venue, symbol),
    time,
    contracts: bidPrice + venue.length,
    valueUsd: bidPrice * 7,
  })),
);
const liquidations: readonly Liquidation[] = books
  .filter((_, n) => n % 5 === 0)
  .flatMap(({ symbol, time }, n) =>
    [1, 2].map((quantity) => ({
      symbol,
      time,
      side: n % 2 === 0 ? ('LONG' as const) : ('SHORT' as const),
      price: 100 + n,
      quantity,
    })),
  );

async function fill(archive: Archive): Promise<void> {
  await archive.write('book', books);
  await archive.write('marks', marks);
  await archive.write('venueOpenInterest', elsewhere);
  await archive.writeLiquidations(liquidations);
}

/** Makes every kind of request: about the first days, which are compressed first, the last ones, and all of them. */
async function askedOf(archive: Archive): Promise<unknown> {
  const answers: unknown[] = [];
  const windows = [
    { from: start + hour, to: start + 2 * day },
    { from: end - day, to: end },
    { from: start, to: end },
  ];
  for (const series of ['book', 'marks', 'venueOpenInterest'] as const) {
    const markets = series === 'venueOpenInterest' ? symbols.map((name) => marketAt('okx', name)) : symbols;
    for (const window of windows) {
      const { to } = window;
      answers.push(await archive.latest(series, to), await archive.readAll(series, window));
      for (const symbol of markets)
        answers.push(
          await archive.read(series, { symbol, window }),
          await archive.columns(series, { symbol, window }),
          await archive.last(series, { symbol, count: 70, to }),
          await archive.gaps(series, { symbol, window: { ...window, step: 30 * minute } }),
          await archive.gaps(series, { symbol, window: { ...window, step: hour, irregular: true } }),
        );
    }
  }
  for (const { from, to } of windows)
    for (const symbol of [...symbols, undefined])
      answers.push(
        await archive.liquidations({ ...(symbol !== undefined && { symbol }), after: from, to, limit: 500 }),
        await archive.liquidations({ ...(symbol !== undefined && { symbol }), to, limit: 7 }),
      );
  return answers;
}

describeWith('TimescaleDB', 'an archive on TimescaleDB', () => {
  let server: Server;
  let url: string;
  let archive: Archive;
  let plain: Archive;
  beforeAll(async () => {
    server = await startTimescale();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.fresh();
    [archive, plain] = [await openArchive(url), await openArchive('file::memory:')];
    return async () => {
      await archive.close();
      await plain.close();
    };
  });

  const namesOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ name }) => name);
  const inChunks = async () =>
    namesOf(
      await query(
        url,
        `select hypertable_name as name from timescaledb_information.hypertables
         where compression_enabled order by 1`,
      ),
    );
  const chunksOf = (table: string) =>
    query(
      url,
      `select range_start_integer as from, is_compressed from timescaledb_information.chunks
       where hypertable_name = '${table}' order by 1`,
    );

  it('a new archive’s large tables are hypertables, and a second start changes nothing', async () => {
    expect(await inChunks()).toEqual(large);
    await fill(archive);
    await (await openArchive(url)).close();
    expect(await inChunks()).toEqual(large);
    expect(await archive.latest('book', end)).toHaveLength(symbols.length);
  });

  it('responses are the same as elsewhere: before chunks are compressed, after, and once more', async () => {
    for (const each of [archive, plain]) await fill(each);
    const expected = await askedOf(plain);
    expect(await askedOf(archive)).toEqual(expected);
    for (let prune = 0; prune < 2; prune += 1) {
      await archive.prune(end);
      expect(await askedOf(archive)).toEqual(expected);
    }
    // The last chunk has ended, and is left uncompressed for a day.
    const compressed = (await chunksOf('book')).map((chunk) => chunk.is_compressed);
    expect(compressed).toEqual([...Array(days - 1).fill(true), false]);
  });

  it('two processes that prune at once both succeed', async () => {
    await fill(archive);
    await fill(plain);
    const second = await openArchive(url);
    try {
      const pruneTwice = (now: number) => Promise.all([archive.prune(now), second.prune(now)]);
      await pruneTwice(end);
      expect(await askedOf(archive)).toEqual(await askedOf(plain));
      expect((await chunksOf('book')).filter((chunk) => chunk.is_compressed)).toHaveLength(days - 1);
      await pruneTwice(end + 10_000 * day);
      expect(await chunksOf('book')).toEqual([]);
    } finally {
      await second.close();
    }
  });

  it('new and repeated rows are written into compressed chunks, which are compressed again', async () => {
    for (const each of [archive, plain]) {
      await fill(each);
      await each.prune(end);
      await each.write(
        'book',
        books.filter((_, n) => n % 3 === 0).map((row) => ({ ...row, bidPrice: 1 })),
      );
      await each.write(
        'venueOpenInterest',
        elsewhere.map((row) => ({ ...row, time: row.time + minute })),
      );
      await each.writeLiquidations(liquidations);
      await each.writeLiquidations(liquidations.map((row) => ({ ...row, quantity: 9 })));
    }
    const expected = await askedOf(plain);
    expect(await askedOf(archive)).toEqual(expected);
    await archive.prune(end);
    expect(await askedOf(archive)).toEqual(expected);
  });

  it('more rows can be written than the extension decompresses in one transaction', async () => {
    await fill(archive);
    await archive.prune(end);
    await archive.close();
    await query(
      url,
      `alter role archive in database ${new URL(url).pathname.slice(1)}
       set timescaledb.max_tuples_decompressed_per_dml_transaction = 10`,
    );
    archive = await openArchive(url);
    const rewritten = books.map((row) => ({ ...row, imbalance: 0 }));
    await archive.write('book', rewritten);
    await archive.write('book', rewritten.slice(0, 50));
    expect(await archive.readAll('book', { from: start, to: end })).toEqual(rewritten);
  });

  it('old rows are deleted by whole chunks, compressed or not, and no others are', async () => {
    await fill(archive);
    await archive.prune(end);
    // Rows of the book are kept for ten days, and form one chunk.
    await archive.prune(start + 12.5 * day);
    const [first] = await archive.readAll('book', { from: 0, to: end });
    expect(first?.time).toBe(start + 2 * day);
    expect((await chunksOf('book')).map(({ from }) => Number(from))).toHaveLength(days - 2);
    expect(await archive.liquidations({ to: end, limit: 9_999 })).toHaveLength(liquidations.length);
    await archive.prune(start + 120 * day);
    expect(await archive.latest('book', end)).toEqual([]);
    expect(await archive.liquidations({ to: end, limit: 9_999 })).toEqual([]);
  });

  it('processes starting at once create the hypertables once, and write and compress concurrently', async () => {
    url = await server.fresh();
    const services = await Promise.all([1, 2, 3].map(() => openArchive(url)));
    expect(await inChunks()).toEqual(large);
    await Promise.all(services.map(fill));
    // Only the collecting process prunes.
    await Promise.all([services[0]?.prune(end), ...services.map((each) => each.write('book', books))]);
    await fill(plain);
    const expected = await askedOf(plain);
    for (const each of services) {
      expect(await askedOf(each)).toEqual(expected);
      await each.close();
    }
  });

  it('a table with rows stays plain until they are moved as documented, and everything else works', async () => {
    url = await server.fresh();
    const database = await openDatabase<unknown>(url, { migrations });
    await archiveIn(database).write('marks', marks);
    const [left, ...others] = (await makeHypertables(database))?.plain ?? [];
    expect(others).toEqual([]);
    expect(left).toMatchObject({ table: 'marks', problem: 'table "marks" is not empty' });
    expect(await inChunks()).toEqual(large.filter((table) => table !== 'marks'));
    await archiveIn(database).prune(start + 11 * day);
    await query(url, left?.remedy ?? '');
    expect(await makeHypertables(database)).toEqual({ plain: [] });
    expect(await inChunks()).toEqual(large);
    expect(await archiveIn(database).readAll('marks', { from: 0, to: end })).toEqual(
      marks.filter(({ time }) => time >= start + day),
    );
    await database.close();
  });

  it('another venue’s markets replace the first one’s, which can return, in compressed chunks', async () => {
    const database = await openDatabase<unknown>(url, { migrations });
    const held = await openHeldVenue({ database, archive }, 'old');
    await held.change('first');
    await fill(archive);
    await archive.prune(end);
    await held.change('second');
    expect(await archive.latest('book', end)).toEqual([]);
    expect((await hypertablesIn(database)).size).toBeGreaterThan(large.length);
    await archive.write('book', books.slice(0, 1));
    await held.change('first');
    expect(await archive.readAll('book', { from: start, to: end })).toEqual(books);
    expect(await archive.liquidations({ symbol: 'AUSDT', to: end, limit: 3 })).toHaveLength(3);
    await held.change('second');
    expect(await archive.readAll('book', { from: start, to: end })).toEqual(books.slice(0, 1));
    await database.close();
  });

  it('an archive that comes from SQLite gets hypertables', async () => {
    url = await server.fresh();
    const from = `file:${await ownFolder()}/archive.db`;
    const file = await openArchive(from);
    await fill(file);
    await file.close();
    const config = { database: 'file::memory:', data: { embedded: { archive: url } } };
    const archive = from.slice('file:'.length);
    const rest = { file: undefined, mark: false, now: end, print: async () => {} };
    await runRestore({ config, archive, ...rest } as never);
    expect(await inChunks()).toEqual(large);
    const moved = await openArchive(url);
    await moved.prune(end);
    await fill(plain);
    expect(await askedOf(moved)).toEqual(await askedOf(plain));
    await moved.close();
  });
});

describe('an archive on Postgres without TimescaleDB', () => {
  it('has plain tables, and deletes old rows exactly', async () => {
    const url = await (await startPostgres()).fresh();
    const database = await openDatabase<unknown>(url, { migrations });
    const tables = () =>
      query(
        url,
        "select relname, relkind from pg_class where relnamespace = 'public'::regnamespace order by 1",
      );
    const before = await tables();
    expect(await makeHypertables(database)).toBeUndefined();
    const archive = archiveIn(database);
    await fill(archive);
    await archive.prune(start + 10 * day + hour);
    expect(await tables()).toEqual(before);
    const [first] = await archive.readAll('book', { from: 0, to: end });
    expect(first?.time).toBe(start + hour);
    await archive.close();
  });
});
