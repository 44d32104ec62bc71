import { z } from 'zod';
import { yearlyPct } from '../../contract/settlements.ts';
import { hour, msOf } from '../../runtime/units.ts';

/** Rates of markets that settle every 8, 4 or 1 h are compared as what they come to in this many hours. */
const reckoned = 8;
/** Settlements are 8 h apart at most: an older one is not the most recent of its market, ms. */
export const stale = 9 * hour;

export const isRecent = (timestamp: string, now: number): boolean => {
  const age = now - msOf(timestamp);
  return age >= 0 && age <= stale;
};

/** What is paid where neither side presses: Binance's interest, 0.01 % in 8 h, in proportion to the interval. */
const restingRate = 0.0001;

/**
 * What funding must cost before anyone acts on it. A z-score alone tells of nothing but how still the rate has been:
 * 41 % of recorded settlements are exactly the resting rate, and a step to zero is then many deviations.
 */
export const fundingFloor = z
  .strictObject({
    yearlyPct: z
      .number()
      .min(0)
      .default(20)
      .describe('percent a year by the market’s own interval, either side: 0.018 % per 8 h'),
    offResting: z
      .number()
      .min(0)
      .default(0.0001)
      .describe('fraction in 8 h away from the 0.01 % that are paid where neither side presses'),
  })
  .prefault({});
export type FundingFloor = z.output<typeof fundingFloor>;

/** Below it a market has stood still: what it does next is far from its mean, and means nothing. */
export const minSpread = z
  .number()
  .min(0)
  .default(0.00001)
  .describe(
    'standard deviation, fraction in 8 h, below which a market has stood still: a tenth of the resting rate; any step is then many sigma',
  );

/** An unknown interval is taken as the longest one, by which the rate costs least. */
const known = (hours: number | undefined): number => hours ?? reckoned;
const in8h = (rate: number, hours: number | undefined): number => (rate * reckoned) / known(hours);

/** @param rate fraction per settlement @param hours between two settlements; undefined: unknown */
export const costs = (rate: number, hours: number | undefined, floor: FundingFloor): boolean =>
  Math.abs(yearlyPct(rate, known(hours)) ?? 0) >= floor.yearlyPct &&
  Math.abs(in8h(rate, hours) - restingRate) >= floor.offResting;

/** What one standard deviation of a market's last 30 days is, as a fraction in 8 h. */
export const spreadIn8h = (
  row: { readonly currentRate: number; readonly avg30dRate: number; readonly zScore: number },
  hours: number | undefined,
): number => Math.abs(in8h((row.currentRate - row.avg30dRate) / row.zScore, hours));
