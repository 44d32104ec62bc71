import type { HourlyPrice } from '../alert/outcome.ts';
import { hour } from '../runtime/units.ts';

/**
 * Returns the price at a time between two neighbouring full hours, by linear interpolation of its logarithm; undefined
 * if either is unknown. Its error is at most about half of the usual hourly move, and equally likely in both directions
 * (the deviation of a Brownian bridge in its middle).
 */
export function priceBetween(prices: readonly HourlyPrice[], at: number): number | undefined {
  const before = Math.floor(at / hour) * hour;
  const priceAt = (time: number) => prices.find((each) => each.at === time)?.price;
  const from = priceAt(before);
  if (at === before) return from;
  const to = priceAt(before + hour);
  if (from === undefined || to === undefined) return undefined;
  return from * (to / from) ** ((at - before) / hour);
}
