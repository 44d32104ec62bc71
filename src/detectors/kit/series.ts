import type { Chart, Panel, Series, Tone } from '../../alert/alert.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { inOrder, isInOrder, type TimedRow, timeOf, withTime } from '../../runtime/rows.ts';
import { day, hour, minute } from '../../runtime/units.ts';

export interface Window {
  /** Market ms. The window holds the times after `since` and up to `now`. */
  readonly now: number;
  readonly since?: number | undefined;
}

/**
 * Returns the rows of an answer within a window, oldest first. Of several rows with the same data time, the last one
 * counts. If the rows of the answer ascend, only those from the window on are read: few of a day's are new.
 */
export const series = <Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  window: Window,
): readonly TimedRow<Row>[] => seriesOf(rows, { ...window, make: withTime<Row> });

/** Selects rows as `series` does, and returns what `make` makes of each. */
export function seriesOf<Row extends { readonly timestamp: string }, Made extends { readonly at: number }>(
  rows: readonly Row[],
  { now, since = Number.NEGATIVE_INFINITY, make }: Window & { readonly make: (row: Row) => Made },
): readonly Made[] {
  const ordered = isInOrder(rows) || checkAscending(rows);
  const needsAll = since === Number.NEGATIVE_INFINITY || !ordered;
  const first = needsAll ? 0 : rows.findLastIndex((row) => timeOf(row) <= since) + 1;
  const selected: Made[] = [];
  for (let index = first; index < rows.length; index += 1) {
    const one = make(rows[index] as Row);
    if (one.at > since && one.at <= now) selected.push(one);
  }
  if (ordered) return selected;
  return sortedOnce(selected, ({ at }) => at);
}

/** Returns rows by time, each time once: of several rows with the same one, the last counts. */
const sortedOnce = <Row>(rows: readonly Row[], at: (row: Row) => number): readonly Row[] =>
  [...new Map(rows.map((row) => [at(row), row]))].sort(([a], [b]) => a - b).map(([, row]) => row);

/** Returns whether the rows ascend, and marks them if so. Only times such as `2024-01-31T08:00:00.000Z` sort like text. */
function checkAscending(rows: readonly { readonly timestamp: string }[]): boolean {
  let before = '';
  for (const { timestamp } of rows) {
    if (timestamp.length !== 24 || !timestamp.endsWith('Z') || timestamp <= before) return false;
    before = timestamp;
  }
  inOrder(rows);
  return true;
}

/** An answer about one market, and its rows. */
interface Answer {
  readonly symbol?: string;
  readonly currency?: string;
  readonly data: readonly { readonly timestamp: string }[];
}
type RowOf<One extends Answer> = TimedRow<One['data'][number]>;

/** A market, the rows of its answer and the newest of them. */
interface Market<One extends Answer> {
  readonly key: string;
  readonly data: One['data'];
  readonly current: RowOf<One>;
}

interface Looking<One extends Answer, Seen> {
  readonly now: number;
  /** The age of the newest row, ms, above which a market is left out, because its present is not known. */
  readonly staleAfter: number;
  /** The data time up to which rows of each market have been counted, `seen`. These rows are not read again. */
  readonly values: Readonly<Record<string, { readonly seen: number }>>;
  /** Judges the new rows of a market, oldest first. Undefined: the market is left out. */
  look(rows: readonly RowOf<One>[], market: Market<One>): Seen | undefined;
}

/** Returns the markets that have new rows, of which the newest is recent, each with what `look` returns for it. */
export const marketsWithNewRows = <One extends Answer, Seen>(
  answers: readonly One[],
  { now, staleAfter, values, look }: Looking<One, Seen>,
): readonly (Market<One> & Seen)[] =>
  answers.flatMap((answer) => {
    const { symbol, currency, data } = answer;
    const key = symbol ?? currency ?? '';
    const rows = series<One['data'][number]>(data, { now, since: values[key]?.seen });
    const current = rows.at(-1);
    if (current === undefined || now - current.at > staleAfter) return [];
    const market = { key, data: isInOrder(data) ? data : sortedOnce(data, timeOf), current };
    const seen = look(rows, market);
    return seen === undefined ? [] : [{ ...market, ...seen }];
  });

/** Returns the points of a chart: [market ms, value] for each row. */
export const points = <Row extends { readonly at: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
): (readonly [number, number])[] => rows.map((row) => [row.at, value(row)] as const);

/** What a chart shows on one axis: a line or several series, and the levels that they are compared with. */
interface Part {
  /** The unit, as in a `Panel`. Left out: the values have none. */
  readonly unit?: Text;
  readonly line?: readonly [name: Text, points: Series['points'], shape?: Series['shape']];
  readonly series?: readonly Series[];
  readonly marks?: readonly (readonly [name: Text, value: number, tone?: Tone] | false | undefined)[];
}

/** The chart of the values that an alert was judged by. */
export interface Drawing extends Part, Pick<Chart, 'bands' | 'priceOf'> {
  /** What the chart shows, and of which market. Its title is this text and how far back the values go. */
  readonly subject: Text;
  readonly below?: Part;
}

function panelOf({ unit = '', line, series: all, marks: given = [] }: Part): Panel {
  const marks = given.flatMap((mark) => {
    if (!mark || !Number.isFinite(mark[1])) return [];
    const [name, value, tone] = mark;
    return [{ name, value, ...(tone && { tone }) }];
  });
  const series =
    all ?? (line ? [{ name: line[0], points: line[1], ...(line[2] && { shape: line[2] }) }] : []);
  return { unit, series, ...(marks.length > 0 && { marks }) };
}

/** Returns the chart. Undefined if its first series has fewer than two points. */
export function toChart({ subject: what, below, bands, priceOf, ...part }: Drawing): Chart | undefined {
  const panel = panelOf(part);
  const times = panel.series.flatMap(({ points: all }) => all.map(([at]) => at)).sort((a, b) => a - b);
  if ((panel.series[0]?.points.length ?? 0) < 2) return undefined;
  const length = span(roundLength((times.at(-1) ?? 0) - (times[0] ?? 0)));
  return {
    ...panel,
    title: msg('{what}, last {length}', { what, length }),
    ...(below && { below: panelOf(below) }),
    ...(bands && { bands }),
    priceOf,
  };
}

/** Rounds a length, ms, to the largest unit that is at most 8 % off: 23 settlements of 8 h are a week, not 7 d 8 h. */
function roundLength(length: number): number {
  for (const unit of [day, hour, 5 * minute]) {
    const multiple = Math.round(length / unit) * unit;
    if (multiple > 0 && Math.abs(multiple - length) <= 0.08 * length) return multiple;
  }
  return Math.max(minute, Math.round(length / minute) * minute);
}
