import { hour, minute, msOf } from '../../runtime/units.ts';
import type { EpisodeRules, Sample } from './episode.ts';
import type { Look } from './episodes.ts';

/** Rows are of every 5 minutes: two missing, and what they say is not known. */
const stale = 15 * minute;
/** A market of which no row has told for so long is followed no more. */
const gone = 6 * hour;

/** A market as several venues have it. */
interface MarketRow {
  readonly symbol: string;
  readonly timestamp: string;
  readonly legs: readonly { readonly venue: string; readonly title: string }[];
}

/** How a market stands by what its row tells; `traced`: what its trail goes on with. */
interface Judged<Note> extends Omit<Sample<Note>, 'at'> {
  readonly traced?: number;
}

interface Followed<Row, Value, Note> {
  /** What is kept of each market that is followed: `seen` when it was last told of, market ms. */
  readonly values: Readonly<Record<string, { readonly seen?: number | undefined }>>;
  readonly now: number;
  /** What a row is judged by; undefined: it tells nothing now. */
  readonly read: (row: Row) => Value | undefined;
  readonly judge: (value: Value, row: Row) => Judged<Note>;
}

/** A market as a look sees it: its row, where that tells something and is recent. */
interface RowSeen<Row, Note> extends Look<Note> {
  readonly row: Row | undefined;
  /** It has told nothing for so long that what began there has come to an end. */
  readonly lost: boolean;
}

/** Each market that has a row or is followed, by its name. */
export function followedRows<Row extends MarketRow, Value, Note>(
  rows: readonly Row[],
  { values, now, read, judge }: Followed<Row, Value, Note>,
): readonly RowSeen<Row, Note>[] {
  const bySymbol = new Map(rows.map((row) => [row.symbol, row]));
  const keys = new Set([...Object.keys(values), ...bySymbol.keys()]);
  return [...keys].sort().map((key) => {
    const row = bySymbol.get(key);
    const at = row === undefined ? Number.NaN : msOf(row.timestamp);
    const value = row === undefined ? undefined : read(row);
    if (row !== undefined && value !== undefined && at <= now && now - at <= stale) {
      const { traced, ...sample } = judge(value, row);
      const trace = traced !== undefined && ([at, traced] as const);
      return { key, row, lost: false, samples: [{ at, ...sample }], ...(trace && { trace }) };
    }
    const lost = rows.length > 0 && now - (values[key]?.seen ?? now) > gone;
    const samples = lost ? [{ at: now, side: null, strong: false, over: true }] : [];
    return { key, row: undefined, lost, gone: lost, samples };
  });
}

/** Whatever market newly stands out is news, and what stands out again soon is none unless it is worse. */
export const rowRules = ({ confirm, calm, cooldown }: Record<'confirm' | 'calm' | 'cooldown', number>) =>
  ({ confirm, calm, cooldown, breaks: 'worse', keep: gone, news: true }) satisfies EpisodeRules & {
    news: true;
  };

/** A venue as people read it. */
export const venueTitle = (row: Pick<MarketRow, 'legs'> | undefined, name: string | undefined): string =>
  row?.legs.find(({ venue }) => venue === name)?.title ?? name ?? '–';
