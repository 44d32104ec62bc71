import { z } from 'zod';

const instant = z.coerce.number().int().min(0);

/** Returns the query fields startTime, endTime and limit. As at Binance, a limit above `most` is refused, not reduced. */
export const pageFields = (usual: number, most: number) => ({
  startTime: instant.optional(),
  endTime: instant.optional(),
  limit: z.coerce.number().int().min(1).max(most).default(usual),
});

export interface SimulatedPage {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit: number;
}

/**
 * Returns the multiples of `period` in a page: those from startTime on or, without a startTime, the newest up to endTime.
 * None are after `now` or before `earliest`.
 */
export function periodTimes(
  { startTime, endTime, limit }: SimulatedPage,
  { period, earliest, now }: { readonly period: number; readonly earliest: number; readonly now: number },
): number[] {
  const last = Math.floor(Math.min(endTime ?? now, now) / period);
  const first = Math.ceil(Math.max(startTime ?? 0, earliest) / period);
  const from = startTime === undefined ? Math.max(first, last - limit + 1) : first;
  const times: number[] = [];
  for (let at = from; at <= last && times.length < limit; at += 1) times.push(at * period);
  return times;
}

/** Returns the newest multiples of `period` in a span, the newest first, for venues that page backwards. */
export const newestPeriodTimes = (
  {
    from = 0,
    to,
    limit,
  }: { readonly from?: number | undefined; readonly to?: number | undefined; readonly limit: number },
  given: { readonly period: number; readonly earliest: number; readonly now: number },
): number[] =>
  periodTimes({ endTime: to, limit }, given)
    .filter((time) => time >= from)
    .reverse();
