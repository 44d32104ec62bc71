import type { ArchiveReader, Liquidation, SeriesName, SeriesRows, TimeRange } from './archive.ts';
import { SeriesTape } from './columns.ts';
import { seriesDescriptions } from './series.ts';
import { Tape } from './tape.ts';

export interface FrozenArchive extends ArchiveReader {
  /**
   * Returns the same archive, watched: for each read, `onUnchangedFor` is called with the number of ms for which the same read, with
   * its window moving on with the time, would return the same rows.
   */
  watched(onUnchangedFor: (ms: number) => void): ArchiveReader;
}

/**
 * Returns the archive as it stood at `end`, kept in memory as far as it has been read. A replay reads overlapping windows
 * a hundred thousand times, and a slice costs a hundredth of a query (1 µs instead of 150).
 */
export function frozenArchive(archive: ArchiveReader, end: number): FrozenArchive {
  const series = new Map<SeriesName, SeriesTapes<SeriesName>>();
  const tapesOf = <Name extends SeriesName>(name: Name): SeriesTapes<Name> => {
    const known =
      series.get(name) ?? (seriesTapes(archive, { name, end }) as unknown as SeriesTapes<SeriesName>);
    series.set(name, known);
    return known as unknown as SeriesTapes<Name>;
  };
  const tapeOf = <Name extends SeriesName>(name: Name, symbol: string) => tapesOf(name).tapeOf(symbol);

  const liquidations = new Map<string | undefined, Tape<Liquidation>>();
  const liquidationsOf = (symbol: string | undefined): Tape<Liquidation> => {
    const known = liquidations.get(symbol) ?? new Tape(liquidationSource(archive, symbol), end);
    liquidations.set(symbol, known);
    return known;
  };

  const quality = new Tape(
    {
      read: (window) => archive.quality(window),
      last: async (count, to) => (await archive.quality({ from: 0, to })).slice(-count),
    },
    end,
  );
  const audits = new Tape(
    {
      read: (window) => archive.audits(window),
      last: async (count, to) => (await archive.audits({ from: 0, to })).slice(-count),
    },
    end,
  );
  const documents = new Map<string, Promise<unknown>>();

  const frozen: ArchiveReader = {
    get unwatched() {
      return frozen;
    },
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
    async liquidations({ symbol, after, to, limit }) {
      const tape = liquidationsOf(symbol);
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

  return {
    ...frozen,
    unwatched: frozen,
    watched(onUnchangedFor) {
      const watch = async <Answer>(answer: Promise<Answer>, ms: () => number | Promise<number>) => {
        const result = await answer;
        onUnchangedFor(await ms());
        return result;
      };
      return {
        unwatched: frozen,
        read: (name, given) =>
          watch(frozen.read(name, given), () => tapeOf(name, given.symbol).unchangedFor(given.window)),
        columns: (name, given) =>
          watch(frozen.columns(name, given), () =>
            tapeOf(name, given.symbol).unchangedFor('window' in given ? given.window : upTo(given.to)),
          ),
        last: (name, given) =>
          watch(frozen.last(name, given), () => tapeOf(name, given.symbol).unchangedFor(upTo(given.to))),
        lastOfDays: (name, given) =>
          watch(frozen.lastOfDays(name, given), () => tapeOf(name, given.symbol).unchangedFor(given.window)),
        derived: (name, { symbol, window, derivation }) =>
          watch(tapeOf(name, symbol).derived(window, derivation), () =>
            tapeOf(name, symbol).unchangedFor(window),
          ),
        async latest(name, to) {
          const { rows, until } = await tapesOf(name).newest(to);
          onUnchangedFor(until - to);
          return [...rows];
        },
        async readAll(name, window) {
          const { rows, until } = await tapesOf(name).all(window);
          onUnchangedFor(until - window.to);
          return [...rows];
        },
        liquidations: (query) =>
          watch(frozen.liquidations(query), () =>
            liquidationsOf(query.symbol).unchangedFor({
              from: query.after === undefined ? Number.NEGATIVE_INFINITY : query.after + 1,
              to: query.to,
            }),
          ),
        quality: (window) => watch(frozen.quality(window), () => quality.unchangedFor(window)),
        audits: (window) => watch(frozen.audits(window), () => audits.unchangedFor(window)),
        get: frozen.get,
      };
    },
  };
}

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
  /** Returns the newest row of each symbol. */
  newest(to: number): Promise<UnchangedRows<Name>>;
  /** Returns the rows of each symbol in a window. */
  all(window: TimeRange): Promise<UnchangedRows<Name>>;
}

function seriesTapes<Name extends SeriesName>(
  archive: ArchiveReader,
  { name, end }: { readonly name: Name; readonly end: number },
): SeriesTapes<Name> {
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
const liquidationSource = (archive: ArchiveReader, symbol: string | undefined) => {
  const filter = symbol === undefined ? {} : { symbol };
  return {
    read: async ({ from, to }: { readonly from: number; readonly to: number }) =>
      (
        await archive.liquidations({ ...filter, after: from - 1, to, limit: Number.MAX_SAFE_INTEGER })
      ).reverse(),
    last: async (count: number, to: number) =>
      (await archive.liquidations({ ...filter, to, limit: count })).reverse(),
  };
};
