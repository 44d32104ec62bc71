/** A row of an answer with its data time, market ms. */
export type Timed<Row> = Row & { readonly at: number };

/** The rows of an answer up to `now`, oldest first, each data time once: of several the one written last. */
export const series = <Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  now: number,
): readonly Timed<Row>[] =>
  [...new Map(rows.map((row) => [Date.parse(row.timestamp), row])).entries()]
    .filter(([at]) => at <= now)
    .sort(([a], [b]) => a - b)
    .map(([at, row]) => ({ ...row, at }));

/** Points of a chart. */
export const points = <Row extends { readonly at: number }>(
  rows: readonly Row[],
  value: (row: Row) => number,
): (readonly [number, number])[] => rows.map((row) => [row.at, value(row)] as const);
