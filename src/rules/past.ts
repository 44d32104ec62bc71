import type { DataClient } from '../contract/data-client.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour } from '../runtime/units.ts';
import { feeds } from './all-feeds.ts';
import type { Question, Reading } from './feed.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** [market ms, value], oldest first. */
export type PastPoints = readonly (readonly [at: number, value: number])[];

/**
 * Returns a metric's past values, of one symbol or of the whole market, as far as the data service has them: of some
 * metrics for all the hours that are asked for, of most for a week, and of some not at all.
 * @throws ApiError
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
  const { pastHours: past = 0, read, history } = feeds[metricOf(metric).feed];
  const symbols = symbol === undefined ? [] : [symbol];
  const pointsOf = (rows: readonly Reading[]): PastPoints =>
    rows.flatMap(({ time, values: { [metric]: value } }) =>
      typeof value === 'number' && Number.isFinite(value) ? [[time, value] as const] : [],
    );
  if (past > 0 && symbol !== undefined)
    return pointsOf(await read({ ...asking, symbols, hours: Math.min(past, hours) })).filter(
      ([at]) => at > asking.now - hours * hour,
    );
  return history?.metrics.includes(metric) ? pointsOf(await history.read({ ...asking, symbols, hours })) : [];
}

/** How many moments a feed without a past is asked at: over a month, half an hour apart. */
const maxMoments = 1_440;

/**
 * Returns a metric's past values from a service that can be asked as of any moment (market ms), as far as it has them.
 * @param at returns a client that answers as of a moment; it is called forward in time
 */
export async function sampledPast(
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
  const { pastHours: past = 0, interval: every, read } = feeds[metricOf(metric).feed];
  const symbols = symbol === undefined ? [] : [symbol];
  const known = new Map<number, number>();
  const hours = Math.min(past, Math.ceil((to - from) / hour));
  const step = past > 0 ? hours * hour : Math.max(every, (to - from) / maxMoments);
  const pieces = Math.ceil((to - from) / step);
  for (let piece = pieces - 1; piece >= 0; piece -= 1) {
    const now = to - piece * step;
    const asking = { data: at(now), symbols, now, signal };
    // A moment at which nothing was known is left out; later moments are asked all the same.
    const rows = await ifAnswered(read(past > 0 ? { ...asking, hours } : asking));
    for (const { symbol: rowSymbol, time, values } of rows ?? []) {
      const { [metric]: value } = values;
      if ((rowSymbol ?? symbol) === symbol && typeof value === 'number' && Number.isFinite(value))
        known.set(time, value);
    }
  }
  return [...known].filter(([time]) => time > from && time <= to).sort(([a], [b]) => a - b);
}
