import { hour, minute, msOf } from '../../runtime/units.ts';

/** Rows are of every 5 minutes: two missing, and what they say is not known. */
const stale = 15 * minute;
/** A market of which no row has told for so long is followed no more. */
export const gone = 6 * hour;

interface Followed<Row, Value> {
  /** What is kept of each market that is followed: `seen` when it was last told of, market ms. */
  readonly values: Readonly<Record<string, { readonly seen?: number | undefined }>>;
  readonly now: number;
  /** What a row is judged by; undefined: it tells nothing now. */
  readonly read: (row: Row) => Value | undefined;
}

/**
 * Each market that has a row or is followed, by its name: its row where that tells something and is recent. Else
 * `lost`: it has told nothing for so long that what began there has come to an end.
 */
export function followedRows<Row extends { readonly symbol: string; readonly timestamp: string }, Value>(
  rows: readonly Row[],
  { values, now, read }: Followed<Row, Value>,
) {
  const bySymbol = new Map(rows.map((row) => [row.symbol, row]));
  const keys = new Set([...Object.keys(values), ...bySymbol.keys()]);
  return [...keys].sort().map((key) => {
    const row = bySymbol.get(key);
    const at = row === undefined ? Number.NaN : msOf(row.timestamp);
    const value = row === undefined ? undefined : read(row);
    if (row !== undefined && value !== undefined && at <= now && now - at <= stale)
      return { key, told: { row, at, value }, lost: false };
    return { key, told: undefined, lost: rows.length > 0 && now - (values[key]?.seen ?? now) > gone };
  });
}

/** A market without a row that tells something, as a look sees it. */
export const withoutRow = (key: string, { lost, now }: { readonly lost: boolean; readonly now: number }) => ({
  key,
  row: undefined,
  lost,
  gone: lost,
  samples: lost ? [{ at: now, side: null, strong: false, over: true }] : [],
});
