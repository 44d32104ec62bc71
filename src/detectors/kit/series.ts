import type { Chart } from '../../alert/alert.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { inOrder, isInOrder, timeOf } from '../../runtime/rows.ts';
import { day, hour, minute } from '../../runtime/units.ts';

/** A row of an answer with its data time, market ms. */
export type Timed<Row> = Row & { readonly at: number };

/**
 * The rows of an answer after `since` up to `now`, oldest first, each data time once: of several the one written last.
 * A day of rows comes with every answer, and few of them are new: of rows that ascend only those asked for are read.
 */
export function series<Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  now: number,
  since = Number.NEGATIVE_INFINITY,
): readonly Timed<Row>[] {
  const timed: Timed<Row>[] = [];
  if (isInOrder(rows) || ascending(rows)) {
    for (let index = rows.length - 1; index >= 0; index -= 1) {
      const row = rows[index] as Row;
      const at = timeOf(row);
      if (at <= since) break;
      if (at <= now) timed.push({ ...row, at });
    }
    return timed.reverse();
  }
  for (const row of rows) {
    const at = timeOf(row);
    if (at > since && at <= now) timed.push({ ...row, at });
  }
  return [...new Map(timed.map((row) => [row.at, row])).values()].sort((a, b) => a.at - b.at);
}

/** The last of them. */
export function newest<Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  now: number,
): Timed<Row> | undefined {
  const last = rows.at(-1);
  if (last === undefined || !isInOrder(rows) || timeOf(last) > now) return series(rows, now).at(-1);
  return { ...last, at: timeOf(last) };
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

/**
 * What is known of each market now, the oldest row first: nothing of those whose newest row is older than `stale` ms.
 * `since`: from where on the rows of an answer are read.
 */
export const lately = <One extends { readonly data: readonly { readonly timestamp: string }[] }, Seen>(
  answers: readonly One[],
  {
    now,
    stale,
    since = () => Number.NEGATIVE_INFINITY,
  }: { readonly now: number; readonly stale: number; since?(answer: NoInfer<One>): number },
  look: (
    rows: readonly Timed<One['data'][number]>[],
    current: Timed<One['data'][number]>,
    answer: One,
  ) => Seen | undefined,
): readonly Seen[] =>
  answers.flatMap((answer) => {
    const rows = series<One['data'][number]>(answer.data, now, since(answer));
    const current = rows.at(-1);
    const seen = current && now - current.at <= stale ? look(rows, current, answer) : undefined;
    return seen === undefined ? [] : [seen];
  });

/** Points of a chart. */
export const points = <Row extends { readonly at: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
): (readonly [number, number])[] => rows.map((row) => [row.at, value(row)] as const);

/** A chart whose title says what it shows, of which market, and how far back it goes. */
export function charted(what: Text, chart: Omit<Chart, 'title'>): Chart {
  const times = chart.series.flatMap(({ points: all }) => all.map(([at]) => at));
  const length =
    times.reduce((a, b) => Math.max(a, b), 0) -
    times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return { ...chart, title: msg('{what}, last {length}', { what, length: span(rounded(length)) }) };
}

/** A line of what is judged and the levels it is held against; nothing where there is no line to draw. */
export const lineOf = (
  what: Text,
  line: Chart['series'][number]['points'],
  { unit = '', name, marks }: { readonly unit?: Text; readonly name: Text } & Pick<Chart, 'marks'>,
): { readonly chart?: Chart } =>
  line.length > 1
    ? { chart: charted(what, { unit, series: [{ name, points: line }], ...(marks && { marks }) }) }
    : {};

/** To the largest unit that it is nearly a whole number of: 23 settlements of 8 h are a week and not 7 d 8 h. */
function rounded(length: number): number {
  for (const unit of [day, hour, 5 * minute]) {
    const whole = Math.round(length / unit) * unit;
    if (whole > 0 && Math.abs(whole - length) <= 0.08 * length) return whole;
  }
  return Math.max(minute, Math.round(length / minute) * minute);
}
