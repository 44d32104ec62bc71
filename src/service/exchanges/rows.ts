import { z } from 'zod';
import { second } from '../../runtime/units.ts';
import type { Liquidation, TimeRange } from '../archive/archive.ts';
import { impossibleQuantity } from '../archive/possible.ts';

/** A number written as text. Most of what exchanges send is such numbers, and one step takes half as long as a pipe of three. */
export const decimal = z.transform((text: unknown, { issues }): number => {
  const value = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
  if (Number.isFinite(value)) return value;
  issues.push(
    typeof text === 'string'
      ? { code: 'custom', message: 'must be a decimal string', input: text }
      : { code: 'invalid_type', expected: 'string', input: text },
  );
  return z.NEVER;
});

/** The valid and wanted rows of a list, and how many were invalid. */
export interface Rows<Row> {
  readonly rows: Row[];
  /** How many rows the list had, including those that are invalid or not wanted. */
  readonly received: number;
  readonly dropped: number;
  /** What was wrong with the first dropped row. */
  readonly example: string;
}

/** Called when invalid rows of a response were dropped. `of` is the number of all rows received. */
export type OnRowsDropped = (dropped: {
  readonly endpoint: string;
  readonly dropped: number;
  readonly of: number;
  readonly example: string;
}) => void;

/**
 * Parses a list row by row. A row with a quantity that cannot be is invalid whatever its schema says. Returns the issue of
 * each invalid row, with the row's index in its path.
 */
function parseEach<Row>(row: z.ZodType<Row | undefined>, entries: readonly unknown[]) {
  const rows: Row[] = [];
  const issues: z.core.$ZodIssue[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = row.safeParse(entry);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      if (issue !== undefined) issues.push({ ...issue, path: [index, ...issue.path] });
    } else if (parsed.data !== undefined) {
      const wrong = impossibleQuantity(parsed.data as object);
      if (wrong === undefined) rows.push(parsed.data);
      else issues.push({ code: 'custom', message: 'is no possible value', path: [index, wrong] });
    }
  }
  return { rows, issues };
}

/** Returns a liquidation; undefined if nothing has been filled yet, which may come without a price. */
export const ifFilled = (row: Liquidation): Liquidation | undefined => (row.quantity === 0 ? undefined : row);

const exampleOf = ({ path, message }: z.core.$ZodIssue): string => `field "${path.join('.')}": ${message}`;

/**
 * Returns the valid and wanted rows of a message.
 * @param row schema of a row; gives undefined for a valid row that is not wanted
 * @param onDropped called with what was wrong with the first invalid row, if others are valid
 * @throws Error if there are rows and all of them are invalid
 */
export function rowsIn<Row>(
  row: z.ZodType<Row | undefined>,
  entries: readonly unknown[],
  onDropped?: ((example: string) => void) | undefined,
): Row[] {
  const { rows, issues } = parseEach(row, entries);
  const [first] = issues;
  if (first === undefined) return rows;
  if (issues.length === entries.length) throw new Error(exampleOf(first));
  onDropped?.(exampleOf(first));
  return rows;
}

/**
 * Schema of a list in which single rows may be invalid (an empty rate, a null volume, no longs and no shorts): such rows
 * are dropped and counted. If more than half of the rows are invalid, the whole response is.
 * @param row schema of a row; gives undefined for a valid row that is not wanted
 * @param isWanted whether an entry is read at all: lists of all symbols have entries that may lack values. Absent: all are
 */
export const rowsOf = <Row>(
  row: z.ZodType<Row | undefined>,
  isWanted: (entry: { readonly [Name in string]?: unknown }) => boolean = () => true,
) =>
  z.array(z.unknown()).transform((all, context): Rows<Row> => {
    const entries = all.filter((entry) => isWanted(Object(entry)));
    const { rows, issues } = parseEach(row, entries);
    const [first] = issues;
    if (first !== undefined && 2 * issues.length > entries.length) {
      context.addIssue({ code: 'custom', message: first.message, path: [...first.path] });
      return z.NEVER;
    }
    const example = first === undefined ? '' : exampleOf(first);
    return { rows, received: entries.length, dropped: issues.length, example };
  });

/** Returns how much larger the bid is than the ask, as a fraction of both; 0 if the book is empty. */
export const imbalanceOf = (bid: number, ask: number): number =>
  bid + ask > 0 ? (bid - ask) / (bid + ask) : 0;

interface Timed {
  readonly time: number;
}

export const within =
  ({ from, to }: TimeRange) =>
  ({ time }: Timed) =>
    time >= from && time <= to;

interface PagedFetch<Row> {
  /** The most rows of one response. */
  readonly limit: number;
  readonly fetch: (span: TimeRange) => Promise<Rows<Row>>;
}

/**
 * Fetches all rows of a span from an upstream whose responses hold the newest rows: after a full response, the older rest is
 * requested.
 */
export async function fetchNewestFirst<Row extends Timed>(
  span: TimeRange,
  { limit, fetch }: PagedFetch<Row>,
): Promise<Row[]> {
  const all: Row[][] = [];
  for (let { to } = span; ; ) {
    const { rows, received } = await fetch({ from: span.from, to });
    all.unshift(rows.filter(within({ from: span.from, to })));
    const [oldest] = rows;
    // One that answers the same whatever end it is asked for would be asked for ever.
    const isOver = oldest === undefined || oldest.time <= span.from || oldest.time > to;
    if (received < limit || isOver) return all.flat();
    to = oldest.time - 1;
  }
}

/**
 * Fetches all rows of a span from an upstream whose responses hold the oldest rows: after a full response, the newer rest is
 * requested. Rows at the time at which a response ends may be returned twice.
 */
export async function fetchOldestFirst<Row extends Timed>(
  span: TimeRange,
  { limit, fetch }: PagedFetch<Row>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let { from } = span; ; ) {
    const { rows, received } = await fetch({ from, to: span.to });
    all.push(...rows);
    const last = rows.at(-1);
    // Many rows may have the same time, so the last time is requested again, unless its rows alone fill the response.
    if (received < limit || last === undefined || last.time < from) return all;
    from = last.time > from ? last.time : last.time + second;
  }
}
