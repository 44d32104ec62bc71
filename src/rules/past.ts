import { hour } from '../runtime/units.ts';
import type { Question, Reading } from './feed.ts';
import { feeds } from './feeds.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** [market ms, value], oldest first. */
export type PastPoints = readonly (readonly [at: number, value: number])[];

/**
 * A number's past as far as the data service tells it, of one symbol or the whole market: some metrics for as long as is
 * asked, most for a week, and some not at all. @throws ApiError
 */
export async function pastOf(
  metric: MetricName,
  {
    symbol,
    hours,
    ...asking
  }: Pick<Question, 'data' | 'now' | 'signal'> & {
    readonly symbol: string | undefined;
    readonly hours: number;
  },
): Promise<PastPoints> {
  const { past, read, history } = feeds[metricOf(metric).feed];
  const symbols = symbol === undefined ? [] : [symbol];
  const pointsOf = (rows: readonly Reading[]): PastPoints =>
    rows.flatMap(({ time, values: { [metric]: value } }) =>
      typeof value === 'number' && Number.isFinite(value) ? [[time, value] as const] : [],
    );
  if (past > 0 && symbol !== undefined)
    return pointsOf(await read({ ...asking, symbols, hours: Math.min(past, hours) })).filter(
      ([at]) => at > asking.now - hours * hour,
    );
  return history?.of.includes(metric) ? pointsOf(await history.read({ ...asking, symbols, hours })) : [];
}
