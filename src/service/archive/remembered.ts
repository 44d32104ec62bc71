import type { Archive, SeriesName, SeriesRows } from './archive.ts';

/** What is known of one series. Both hold all rows that there are, however late their time. */
interface Known<Row> {
  /** The newest row of every symbol, in the archive's order. */
  newest?: Map<string, Row>;
  /** The rows of every symbol from `from` on, by symbol, then time. */
  rows?: { readonly from: number; readonly all: readonly Row[] };
}

/**
 * Returns the archive with its answers about the whole market kept in memory: most responses are made from the newest row
 * of every symbol, and settlements of a month change every few hours. Only for an archive that nobody else writes to; whoever
 * changes its tables otherwise calls `forget`.
 */
export function rememberedArchive(archive: Archive): Archive {
  const series = new Map<SeriesName, Known<SeriesRows[SeriesName]>>();
  const knownOf = <Name extends SeriesName>(name: Name) =>
    series.getOrInsertComputed(name, () => ({})) as Known<SeriesRows[Name]>;

  return {
    ...archive,

    async write(name, rows) {
      let newest: Known<(typeof rows)[number]>['newest'];
      try {
        await archive.write(name, rows);
        newest = knownOf(name).newest;
      } finally {
        // A read that began before the end of the write, and may be without its rows, fills what is forgotten here.
        series.delete(name);
      }
      if (newest !== undefined && addNewest(newest, rows)) knownOf(name).newest = newest;
    },

    async latest(name, to) {
      const known = knownOf(name);
      known.newest ??= new Map(
        (await archive.latest(name, Number.MAX_SAFE_INTEGER)).map((row) => [row.symbol, row]),
      );
      const newest = [...known.newest.values()];
      return newest.every(({ time }) => time <= to) ? newest : archive.latest(name, to);
    },

    async readAll(name, { from, to }) {
      const known = knownOf(name);
      if (known.rows === undefined || known.rows.from > from)
        known.rows = { from, all: await archive.readAll(name, { from, to: Number.MAX_SAFE_INTEGER }) };
      return known.rows.all.filter(({ time }) => time >= from && time <= to);
    },

    forget: () => series.clear(),

    async prune(now) {
      try {
        await archive.prune(now);
      } finally {
        series.clear();
      }
    },
  };
}

/**
 * Adds rows that were written to the newest of each symbol. Returns whether all could be added: the place of a new symbol in
 * the order is the archive's to say.
 */
function addNewest<Row extends { readonly symbol: string; readonly time: number }>(
  newest: Map<string, Row>,
  rows: readonly Row[],
): boolean {
  return rows.every((row) => {
    const before = newest.get(row.symbol);
    if (before !== undefined && before.time <= row.time) newest.set(row.symbol, row);
    return before !== undefined;
  });
}
