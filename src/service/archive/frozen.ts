import type { ArchiveReader, Liquidation, SeriesName, SeriesRows, TimeRange } from './archive.ts';
import { Tape } from './tape.ts';

export interface FrozenArchive extends ArchiveReader {
  /** Grows with every row of any symbol that enters or leaves a window that moves on. */
  passed(series: SeriesName, window: TimeRange): Promise<number>;
}

/**
 * The archive as it stood at `end`, kept in memory as far as it is asked for: a replay asks for overlapping windows
 * a hundred thousand times, and a slice costs a hundredth of a query (1 µs instead of 150).
 */
export function frozenArchive(archive: ArchiveReader, end: number): FrozenArchive {
  const series = new Map<SeriesName, SeriesTapes<SeriesName>>();
  const tapesOf = <Name extends SeriesName>(name: Name): SeriesTapes<Name> => {
    const known = series.get(name) ?? (seriesTapes(archive, name, end) as unknown as SeriesTapes<SeriesName>);
    series.set(name, known);
    return known as unknown as SeriesTapes<Name>;
  };
  const tapeOf = <Name extends SeriesName>(name: Name, symbol: string) => tapesOf(name).of(symbol);

  const liquidations = new Map<string | undefined, Tape<Liquidation>>();
  const liquidationsOf = (symbol: string | undefined): Tape<Liquidation> => {
    const known = liquidations.get(symbol) ?? new Tape(liquidationSource(archive, symbol), end);
    liquidations.set(symbol, known);
    return known;
  };

  const regimes = new Tape(
    {
      read: async (window) => (await archive.regimes(window)).reverse(),
      last: async (count, to) => (await archive.regimes({ from: 0, to })).reverse().slice(-count),
    },
    end,
  );
  const quality = new Tape(
    {
      read: (window) => archive.quality(window),
      last: async (count, to) => (await archive.quality({ from: 0, to })).slice(-count),
    },
    end,
  );
  const documents = new Map<string, Promise<unknown>>();

  return {
    read: (name, symbol, window) => tapeOf(name, symbol).between(window),
    last: (name, symbol, count, to) => tapeOf(name, symbol).last(count, to),
    derived: (name, symbol, window, derivation) => tapeOf(name, symbol).derived(window, derivation),
    async latest(name, to) {
      const tapes = tapesOf(name);
      const rows: SeriesRows[typeof name][] = [];
      for (const symbol of await tapes.symbols) {
        const tape = tapes.of(symbol);
        // Waiting for what is there already costs more than finding it.
        const row = tape.newest(to) ?? (await tape.last(1, to))[0];
        if (row !== undefined) rows.push(row);
      }
      return rows;
    },
    async readAll(name, window) {
      const tapes = tapesOf(name);
      return (
        await Promise.all((await tapes.symbols).map((symbol) => tapes.of(symbol).between(window)))
      ).flat();
    },
    async passed(name, window) {
      const tapes = tapesOf(name);
      let sum = 0;
      for (const symbol of await tapes.symbols) sum += await tapes.of(symbol).passed(window);
      return sum;
    },
    async liquidations({ symbol, after, to, limit }) {
      const tape = liquidationsOf(symbol);
      const rows =
        after === undefined ? await tape.last(limit, to) : await tape.between({ from: after + 1, to });
      return rows.slice(-limit).reverse();
    },
    regimes: async (window) => (await regimes.between(window)).reverse(),
    quality: (window) => quality.between(window),
    get(key) {
      const known = documents.get(key) ?? archive.get(key);
      documents.set(key, known);
      return known;
    },
  };
}

interface SeriesTapes<Name extends SeriesName> {
  /** All that have a row, ascending. */
  readonly symbols: Promise<readonly string[]>;
  of(symbol: string): Tape<SeriesRows[Name]>;
}

function seriesTapes<Name extends SeriesName>(
  archive: ArchiveReader,
  name: Name,
  end: number,
): SeriesTapes<Name> {
  const tapes = new Map<string, Tape<SeriesRows[Name]>>();
  return {
    symbols: archive.latest(name, end).then((rows) => rows.map(({ symbol }) => symbol)),
    of(symbol) {
      const known =
        tapes.get(symbol) ??
        new Tape<SeriesRows[Name]>(
          {
            read: (window) => archive.read(name, symbol, window),
            last: (count, to) => archive.last(name, symbol, count, to),
          },
          end,
        );
      tapes.set(symbol, known);
      return known;
    },
  };
}

/** Events of one moment stand in the reverse of the archive's order, so that reversed they are in it. */
const liquidationSource = (archive: ArchiveReader, symbol: string | undefined) => {
  const of = symbol === undefined ? {} : { symbol };
  return {
    read: async ({ from, to }: { readonly from: number; readonly to: number }) =>
      (await archive.liquidations({ ...of, after: from - 1, to, limit: Number.MAX_SAFE_INTEGER })).reverse(),
    last: async (count: number, to: number) =>
      (await archive.liquidations({ ...of, to, limit: count })).reverse(),
  };
};
