/** Functions over the times and rates of settlements, which both the bot and the data service use. */

const hour = 3_600_000;
/** How many of the latest gaps are compared, because a settlement that was missed makes a gap too long. */
const comparedGaps = 3;

/**
 * Returns the hours between two settlements of a market: 8, 4, 2 or 1; exchanges change it. A settlement may have been
 * missed within a gap. So the newest gap counts if the gap before has the same length, otherwise the shortest of the latest
 * three.
 *
 * @param times ms, ascending
 * @returns undefined for fewer than three settlements, and for a gap that does not divide a day: it is not guessed
 */
export function settlementHours(times: readonly number[]): number | undefined {
  const gaps = times
    .slice(-1 - comparedGaps)
    .flatMap((at, index, all) => (index === 0 ? [] : [Math.round((at - (all[index - 1] ?? at)) / hour)]))
    .filter((gap) => gap > 0);
  if (gaps.length < 2) return undefined;
  const [before, newest] = gaps.slice(-2);
  const gap = newest !== undefined && newest === before ? newest : Math.min(...gaps);
  return 24 % gap === 0 ? gap : undefined;
}

/**
 * Returns a rate per settlement as percent per year at the market's own interval; undefined if the interval is unknown.
 * The interface's `annualized` assumes three settlements a day for every market.
 */
export const yearlyPct = (rate: number, hours: number | undefined): number | undefined =>
  hours === undefined ? undefined : rate * (24 / hours) * 365 * 100;

/**
 * The most funding extremes to ask for, and the number that a service returns if it refuses so many: the interface's
 * default.
 */
export const maxExtremes = { requested: 100, fallback: 30 } as const;

/** Returns whether there may be more extremes than the response contains. */
export const isTruncated = ({
  data,
  count,
}: {
  readonly data: readonly unknown[];
  readonly count: number;
}): boolean =>
  data.length >= maxExtremes.requested || data.length === maxExtremes.fallback || count > data.length;
