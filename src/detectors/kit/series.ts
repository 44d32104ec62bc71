import type { Chart } from '../../alert/alert.ts';
import { span } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';

/** A row of an answer with its data time, market ms. */
export type Timed<Row> = Row & { readonly at: number };

/** The rows of an answer up to `now`, oldest first, each data time once: of several the one written last. */
export function series<Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  now: number,
): readonly Timed<Row>[] {
  const timed = rows.map(timedOf).filter(({ at }) => at <= now);
  if (timed.every(({ at }, index) => at > (timed[index - 1]?.at ?? Number.NEGATIVE_INFINITY))) return timed;
  return [...new Map(timed.map((row) => [row.at, row])).values()].sort((a, b) => a.at - b.at);
}

const known = new WeakMap<object, Timed<object>>();

/** Made once for a row: a replay sees the same ones every few minutes. */
function timedOf<Row extends { readonly timestamp: string }>(row: Row): Timed<Row> {
  const before = known.get(row);
  if (before !== undefined) return before as Timed<Row>;
  const timed = { ...row, at: Date.parse(row.timestamp) };
  known.set(row, timed);
  return timed;
}

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
  const rounded = Math.max(minute, Math.round(length / (5 * minute)) * 5 * minute);
  return { ...chart, title: msg('{what}, last {length}', { what, length: span(rounded) }) };
}
