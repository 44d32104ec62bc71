import type { DataClient } from '../contract/data-client.ts';
import { ifAnswered } from '../runtime/errors.ts';
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

/** Moments at which is asked what has no past of its own: half an hour apart over a month. */
const moments = 1_440;

/**
 * A number's past where the service can be asked as of any moment (market ms): for as long as there is any.
 * @param at what it would have answered then; asked forward in time
 */
export async function livedPast(
  metric: MetricName,
  {
    symbol,
    at,
    from,
    to,
    signal,
  }: {
    readonly symbol: string | undefined;
    readonly at: (now: number) => DataClient;
    readonly from: number;
    readonly to: number;
    readonly signal: AbortSignal;
  },
): Promise<PastPoints> {
  const { past, every, read } = feeds[metricOf(metric).feed];
  const symbols = symbol === undefined ? [] : [symbol];
  const known = new Map<number, number>();
  const hours = Math.min(past, Math.ceil((to - from) / hour));
  const step = past > 0 ? hours * hour : Math.max(every, (to - from) / moments);
  const pieces = Math.ceil((to - from) / step);
  for (let piece = pieces - 1; piece >= 0; piece -= 1) {
    const now = to - piece * step;
    const asking = { data: at(now), symbols, now, signal };
    // What was not known then is missing; what comes after it need not be.
    const rows = await ifAnswered(read(past > 0 ? { ...asking, hours } : asking));
    for (const { symbol: of, time, values } of rows ?? []) {
      const { [metric]: value } = values;
      if ((of ?? symbol) === symbol && typeof value === 'number' && Number.isFinite(value))
        known.set(time, value);
    }
  }
  return [...known].filter(([time]) => time > from && time <= to).sort(([a], [b]) => a - b);
}
