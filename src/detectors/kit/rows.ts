import { hour, minute } from '../../runtime/units.ts';
import type { Look } from './define-episodes.ts';
import type { Sample } from './episode.ts';

/** The age above which a row says nothing about the present. Rows come every 5 minutes. */
const staleAfter = 15 * minute;
/** A market that has had no usable row for this long is no longer followed. */
const goneAfter = 6 * hour;

/** A row about one market, with a leg for each venue that has it. */
interface MarketRow {
  readonly symbol: string;
  readonly timestamp: string;
  readonly legs: readonly { readonly venue: string; readonly title: string }[];
}

interface Followed<Row, Value, Note> {
  /** The data time, ms, of the last sample counted of each market that is followed. */
  readonly values: Readonly<Record<string, { readonly seen?: number | undefined }>>;
  readonly now: number;
  /** Returns the value that a row is judged by. Undefined: the row says nothing at present. */
  readonly read: (row: Row) => Value | undefined;
  /** Returns what a row says about its market. `traced` is the value to add to the market's trail. */
  readonly judge: (value: Value, row: Row) => Omit<Sample<Note>, 'at'> & { readonly traced?: number };
}

/** What a look sees of a market. `row` is its row, if that is recent and usable. */
interface RowSeen<Row, Note> extends Look<Note> {
  readonly row: Row | undefined;
  /** Given if an open episode ends because the market has had no usable row for so long: since when, market ms. */
  readonly lost?: number | undefined;
}

/** Returns each market that has a row or is followed, sorted by name. */
export function followedRows<Row extends MarketRow, Value, Note>(
  rows: readonly Row[],
  { values, now, read, judge }: Followed<Row, Value, Note>,
): readonly RowSeen<Row, Note>[] {
  const rowBySymbol = new Map(rows.map((row) => [row.symbol, row]));
  const keys = new Set([...Object.keys(values), ...rowBySymbol.keys()]);
  return [...keys].sort().map((key) => {
    const row = rowBySymbol.get(key);
    const at = Date.parse(row?.timestamp ?? '');
    const value = row && read(row);
    if (row && value !== undefined && at <= now && now - at <= staleAfter) {
      const { traced, ...sample } = judge(value, row);
      const trace = traced !== undefined && ([at, traced] as const);
      return { key, row, samples: [{ at, ...sample }], ...(trace && { trace }) };
    }
    const { seen = now } = values[key] ?? {};
    const isLost = rows.length > 0 && now - seen > goneAfter;
    return { key, row: undefined, ...(isLost && { lost: seen, gone: now }), samples: [] };
  });
}

/** Returns rules by which any market that newly stands out is news, and within the cooldown only if it is worse. */
export const rowRules = ({ confirm, calm, cooldown }: Record<'confirm' | 'calm' | 'cooldown', number>) =>
  ({ confirm, calm, cooldown, breaks: 'worse', keep: goneAfter, news: true }) as const;

/** Returns the name of a venue as people read it. */
export const venueTitle = (row: Pick<MarketRow, 'legs'> | undefined, name: string | undefined): string =>
  row?.legs.find(({ venue }) => venue === name)?.title ?? name ?? '–';
