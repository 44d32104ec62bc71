const hour = 3_600_000;
const day = 24 * hour;

/** A close this long before, ms, or longer is not that of a day ago: hours are missing. */
export const maxDayAgo = day + 2 * hour;

/**
 * Returns the price with which every change over 24 h compares: the newest hourly close at least 24 h before `at`. Undefined
 * if there is none, or hours are missing there.
 * @param closes [time of the close, price], oldest first
 */
export function closeDayBefore(
  closes: readonly (readonly [at: number, close: number])[],
  at: number,
): number | undefined {
  const [time, close] = closes.findLast(([closedAt]) => at - closedAt >= day) ?? [];
  return time === undefined || at - time >= maxDayAgo ? undefined : close;
}
