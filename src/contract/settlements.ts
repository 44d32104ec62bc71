/** What both sides conclude from the times and the rates of settlements. */

const hour = 3_600_000;
/** A settlement that was missed makes a gap too long: the latest few are asked together. */
const asked = 3;

/**
 * Hours between two settlements of a market: 8, 4, 2 or 1, and exchanges change it. A single gap could hold a
 * settlement that was missed, so that of two alike the newest counts, else the shortest of the latest three.
 *
 * @param times ms, ascending
 * @returns undefined of fewer than three settlements, and of gaps that do not divide a day: it is not guessed
 */
export function settlementHours(times: readonly number[]): number | undefined {
  const gaps = times
    .slice(-1 - asked)
    // biome-ignore lint/complexity/useMaxParams: the shape is flatMap’s
    .flatMap((at, index, all) => (index === 0 ? [] : [Math.round((at - (all[index - 1] ?? at)) / hour)]))
    .filter((gap) => gap > 0);
  if (gaps.length < 2) return undefined;
  const [before, newest] = gaps.slice(-2);
  const gap = newest !== undefined && newest === before ? newest : Math.min(...gaps);
  return 24 % gap === 0 ? gap : undefined;
}

/**
 * What a rate per settlement makes in a year at the market's own interval, percent; undefined where that is unknown.
 * The interface's `annualized` reckons with three settlements a day whatever the market.
 */
export const yearlyPct = (rate: number, hours: number | undefined): number | undefined =>
  hours === undefined ? undefined : rate * (24 / hours) * 365 * 100;

/** Extremes of funding to ask for at most, and what a service gives that refuses so many: the interface's default. */
export const mostExtremes = { asked: 100, fallback: 30 } as const;

/** There may be more extremes than the answer holds. */
export const isCut = ({
  data,
  count,
}: {
  readonly data: readonly unknown[];
  readonly count: number;
}): boolean =>
  data.length >= mostExtremes.asked || data.length === mostExtremes.fallback || count > data.length;
