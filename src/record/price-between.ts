import type { HourlyPrice } from '../alert/outcome.ts';
import { hour } from '../runtime/units.ts';

/**
 * The price at a time between two neighbouring full hours, along a straight line of its logarithm; undefined where
 * either is not known. It is off by at most about half of what the price usually moves in an hour, to either side
 * alike (a Brownian bridge's deviation in its middle).
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
