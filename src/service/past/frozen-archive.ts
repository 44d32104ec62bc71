import type { ArchiveReader, Liquidation, SeriesName, SeriesRows, TimeRange } from '../archive/archive.ts';
import { seriesDescriptions } from '../archive/series.ts';
import { EventTape } from './event-tape.ts';
import { SeriesTape } from './series-tape.ts';

const reads = ['read', 'last', 'latest', 'liquidations', 'quality', 'audits', 'get'] as const;
type Source = Pick<ArchiveReader, (typeof reads)[number]>;

/**
 * Returns the archive with its queries one after another and a pause after each. On SQLite a query takes some milliseconds
 * in which nothing else runs, and those of a hundred markets would follow each other without a pause.
 */
export function readInTurn(archive: Source, pause: () => Promise<void>): Source {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn =
    (read: (...asked: never[]) => Promise<unknown>) =>
    (...asked: never[]) => {
      const rows = last.then(() => read(...asked));
      last = rows.then(pause, pause);
      return rows;
    };
  return Object.fromEntries(reads.map((name) => [name, inTurn(archive[name])])) as unknown as Source;
}

/**
 * Returns the archive as it stood at `end`, kept in memory as far as it has been read. A replay reads overlapping windows
 * a hundred thousand times, and a slice costs a hundredth of a query (1 µs instead of 150).
 */
export function frozenArchive(archive: Source, end: number): ArchiveReader {
  const series = new Map<SeriesName, SeriesTapes<SeriesName>>();
  const tapesOf = <Name extends SeriesName>(name: Name): SeriesTapes<Name> => {
    const known = series.get(name) ?? (seriesTapes(archive, name, end) as unknown as SeriesTapes<SeriesName>);
    series.set(name, known);
    return known as unknown as SeriesTapes<Name>;
  };
  const tapeOf = <Name extends SeriesName>(name: Name, symbol: string) => tapesOf(name).tapeOf(symbol);

  const liquidations = new Map<string, EventTape<Liquidation>>();
  const liquidationsOf = (filter: LiquidationFilter): EventTape<Liquidation> => {
    const key = JSON.stringify(filter);
    const known = liquidations.get(key) ?? new EventTape(liquidationSource(archive, filter), end);
    liquidations.set(key, known);
    return known;
  };

  const eventsOf = <Row extends { readonly time: number }>(read: (window: TimeRange) => Promise<Row[]>) =>
    new EventTape({ read, last: async (count, to) => (await read({ from: 0, to })).slice(-count) }, end);
  const quality = eventsOf(archive.quality);
  const audits = eventsOf(archive.audits);
  const documents = new Map<string, Promise<unknown>>();

  return {
    read: (name, { symbol, window }) => tapeOf(name, symbol).between(window),
    columns: (name, given) =>
      'window' in given
        ? tapeOf(name, given.symbol).columns(given.window)
        : tapeOf(name, given.symbol).lastColumns(given.count, given.to),
    last: (name, { symbol, count, to }) => tapeOf(name, symbol).last(count, to),
    derived: (name, { symbol, window, derivation }) => tapeOf(name, symbol).derived(window, derivation),
    lastOfDays: (name, { symbol, window }) => tapeOf(name, symbol).lastOfDays(window),
    latest: async (name, to) => [...(await tapesOf(name).newest(to)).rows],
    readAll: async (name, window) => [...(await tapesOf(name).all(window)).rows],
    async liquidations({ after, to, limit, ...filter }) {
      const tape = liquidationsOf(filter);
      const rows =
        after === undefined ? await tape.last(limit, to) : await tape.between({ from: after + 1, to });
      return rows.slice(-limit).reverse();
    },
    quality: (window) => quality.between(window),
    audits: (window) => audits.between(window),
    get(key) {
      const known = documents.get(key) ?? archive.get(key);
      documents.set(key, known);
      return known;
    },
  };
}

type LiquidationFilter = Pick<Parameters<Source['liquidations']>[0], 'symbol' | 'venues'>;

/** Rows of all symbols, the same for every window of one length that ends at `from` or later and before `until`. */
interface UnchangedRows<Name extends SeriesName> {
  readonly from: number;
  readonly until: number;
  readonly rows: readonly SeriesRows[Name][];
}

interface SeriesTapes<Name extends SeriesName> {
  /** All symbols that have a row, ascending. */
  readonly symbols: Promise<readonly string[]>;
  tapeOf(symbol: string): SeriesTape<SeriesRows[Name]>;
  newest(to: number): Promise<UnchangedRows<Name>>;
  all(window: TimeRange): Promise<UnchangedRows<Name>>;
}

function seriesTapes<Name extends SeriesName>(archive: Source, name: Name, end: number): SeriesTapes<Name> {
  const tapes = new Map<string, SeriesTape<SeriesRows[Name]>>();
  const { columns } = seriesDescriptions[name];
  const symbols = archive.latest(name, end).then((rows) => rows.map(({ symbol }) => symbol));
  const tapeOf = (symbol: string): SeriesTape<SeriesRows[Name]> => {
    const known =
      tapes.get(symbol) ??
      new SeriesTape<SeriesRows[Name]>(
        {
          read: (window) => archive.read(name, { symbol, window }),
          last: (count, to) => archive.last(name, { symbol, count, to }),
        },
        { symbol, names: columns, end },
      );
    tapes.set(symbol, known);
    return known;
  };
  const unchangedFor = async (window: TimeRange): Promise<number> =>
    (await symbols).reduce(
      (least, symbol) => Math.min(least, tapeOf(symbol).unchangedFor(window)),
      Number.POSITIVE_INFINITY,
    );
  /** By the length of the window, ms: the rows that were read last. */
  const known = new Map<number, UnchangedRows<Name>>();
  const reuse = async (
    window: TimeRange,
    read: () => Promise<readonly SeriesRows[Name][]>,
  ): Promise<UnchangedRows<Name>> => {
    const { from, to } = window;
    const rows = known.get(to - from);
    if (rows !== undefined && to >= rows.from && to < rows.until) return rows;
    const unchanged = { rows: await read(), from: to, until: to + (await unchangedFor(window)) };
    known.set(to - from, unchanged);
    return unchanged;
  };
  return {
    symbols,
    tapeOf,
    newest: (to) =>
      reuse(upTo(to), async () => {
        const rows: SeriesRows[Name][] = [];
        for (const symbol of await symbols) {
          const tape = tapeOf(symbol);
          // The synchronous lookup comes first: awaiting a row that is in memory costs more than finding it.
          const row = tape.newest(to) ?? (await tape.last(1, to))[0];
          if (row !== undefined) rows.push(row);
        }
        return rows;
      }),
    all: (window) =>
      reuse(window, async () =>
        (await Promise.all((await symbols).map((symbol) => tapeOf(symbol).between(window)))).flat(),
      ),
  };
}

/** The window of all rows up to a moment. */
const upTo = (to: number): TimeRange => ({ from: Number.NEGATIVE_INFINITY, to });

/** Reads liquidations in exactly the reverse of the archive's order, so that reversing them again restores that order. */
const liquidationSource = (archive: Source, filter: LiquidationFilter) => ({
  read: async ({ from, to }: { readonly from: number; readonly to: number }) =>
    (
      await archive.liquidations({ ...filter, after: from - 1, to, limit: Number.MAX_SAFE_INTEGER })
    ).reverse(),
  last: async (count: number, to: number) =>
    (await archive.liquidations({ ...filter, to, limit: count })).reverse(),
});
