import type { Chart, Panel, Series, Tone } from '../../alert/alert.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { columnsOf, inOrder, isInOrder, type Timed, timed, timeOf } from '../../runtime/rows.ts';
import { day, hour, minute } from '../../runtime/units.ts';

interface Window {
  /** Market ms: from after `since` up to `now`. */
  readonly now: number;
  readonly since?: number | undefined;
}

/**
 * The rows of an answer within a window, oldest first, each data time once: of several the one written last.
 * A day of rows comes with every answer, and few of them are new: of rows that ascend only those asked for are read.
 */
export const series = <Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  window: Window,
): readonly Timed<Row>[] => seriesOf(rows, { ...window, make: timed<Row> });

/** Likewise, of each row what is made of it. */
export function seriesOf<Row extends { readonly timestamp: string }, Made extends { readonly at: number }>(
  rows: readonly Row[],
  { now, since = Number.NEGATIVE_INFINITY, make }: Window & { readonly make: (row: Row) => Made },
): readonly Made[] {
  const ordered = isInOrder(rows) || ascending(rows);
  const all = since === Number.NEGATIVE_INFINITY || !ordered;
  const first = all ? 0 : rows.findLastIndex((row) => timeOf(row) <= since) + 1;
  const asked: Made[] = [];
  for (let index = first; index < rows.length; index += 1) {
    const one = make(rows[index] as Row);
    if (one.at > since && one.at <= now) asked.push(one);
  }
  if (ordered) return asked;
  return [...new Map(asked.map((one) => [one.at, one])).values()].sort((a, b) => a.at - b.at);
}

type NumberIn<Row> = { [Name in keyof Row]: Row[Name] extends number ? Name : never }[keyof Row] & string;

/** One number of all rows of an answer, as they stand: rows made in this process have it as a column. */
export const numbersOf = <Row extends object>(rows: readonly Row[], name: NumberIn<Row>): Float64Array =>
  columnsOf(rows)?.numbers(name) ?? Float64Array.from(rows, (row) => row[name] as number);

/** One number of the rows within a window, as `series` gives them, with their times. */
export function lineOf<Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  { name, ...window }: Window & { readonly name: NumberIn<Row> },
): Readonly<Record<'times' | 'values', Float64Array>> {
  const columns = columnsOf(rows);
  if (columns === undefined) {
    const known = series(rows, window);
    return {
      times: Float64Array.from(known, ({ at }) => at),
      values: Float64Array.from(known, (row) => row[name] as number),
    };
  }
  const { times } = columns;
  const { now, since = Number.NEGATIVE_INFINITY } = window;
  const next = times.findLastIndex((time) => time <= now) + 1;
  const first = times.findLastIndex((time) => time <= since) + 1;
  return { times: times.subarray(first, next), values: columns.numbers(name).subarray(first, next) };
}

/** Times written alike are in the order of their letters; of those written otherwise nothing is said. */
function ascending(rows: readonly { readonly timestamp: string }[]): boolean {
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
type RowOf<One extends Answer> = Timed<One['data'][number]>;

/** A market as its answer shows it. */
interface Market<One extends Answer> {
  readonly key: string;
  readonly data: One['data'];
  readonly current: RowOf<One>;
}

interface Looking<One extends Answer, Seen> {
  readonly now: number;
  /** A market whose newest row is older, ms, is not known. */
  readonly stale: number;
  /** Rows up to what was counted of a market are not read again. */
  readonly values: Readonly<Record<string, { readonly seen: number }>>;
  /** Rows come oldest first. undefined: nothing is seen of the market. */
  look(rows: readonly RowOf<One>[], market: Market<One>): Seen | undefined;
}

/** Each market, and what is seen of it by its rows. */
export const lately = <One extends Answer, Seen>(
  answers: readonly One[],
  { now, stale, values, look }: Looking<One, Seen>,
): readonly (Market<One> & Seen)[] =>
  answers.flatMap((answer) => {
    const { symbol, currency, data } = answer;
    const key = symbol ?? currency ?? '';
    const rows = series<One['data'][number]>(data, { now, since: values[key]?.seen });
    const current = rows.at(-1);
    if (current === undefined || now - current.at > stale) return [];
    const market = { key, data, current };
    const seen = look(rows, market);
    return seen === undefined ? [] : [{ ...market, ...seen }];
  });

/** Points of a chart. */
export const points = <Row extends { readonly at: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
): (readonly [number, number])[] => rows.map((row) => [row.at, value(row)] as const);

/** What shares one axis: a line, or several series, and the levels they are held against. */
interface Part {
  /** As in a Panel; left out where it has none. */
  readonly unit?: Text;
  readonly line?: readonly [name: Text, points: Series['points']];
  readonly series?: readonly Series[];
  readonly marks?: readonly (readonly [name: Text, value: number, tone?: Tone] | false | undefined)[];
}

/** What an alert was judged by, for its chart. */
export interface Drawing extends Part, Pick<Chart, 'bands'> {
  /** What it shows, of which market: the title, to which is added how far back it goes. */
  readonly of: Text;
  readonly below?: Part;
}

function panelOf({ unit = '', line, series: all, marks: given = [] }: Part): Panel {
  const marks = given.flatMap((mark) => {
    if (!mark || !Number.isFinite(mark[1])) return [];
    const [name, value, tone] = mark;
    return [{ name, value, ...(tone && { tone }) }];
  });
  const series = all ?? (line ? [{ name: line[0], points: line[1] }] : []);
  return { unit, series, ...(marks.length > 0 && { marks }) };
}

/** The chart; undefined where there is no line to draw. */
export function drawn({ of: what, below, bands, ...part }: Drawing): Chart | undefined {
  const panel = panelOf(part);
  const times = panel.series.flatMap(({ points: all }) => all.map(([at]) => at)).sort((a, b) => a - b);
  if ((panel.series[0]?.points.length ?? 0) < 2) return undefined;
  const length = span(rounded((times.at(-1) ?? 0) - (times[0] ?? 0)));
  return {
    ...panel,
    title: msg('{what}, last {length}', { what, length }),
    ...(below && { below: panelOf(below) }),
    ...(bands && { bands }),
  };
}

/** To the largest unit that it is nearly a whole number of: 23 settlements of 8 h are a week and not 7 d 8 h. */
function rounded(length: number): number {
  for (const unit of [day, hour, 5 * minute]) {
    const whole = Math.round(length / unit) * unit;
    if (whole > 0 && Math.abs(whole - length) <= 0.08 * length) return whole;
  }
  return Math.max(minute, Math.round(length / minute) * minute);
}
