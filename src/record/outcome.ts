import type { Claim } from '../alert/claim.ts';
import { hour } from '../runtime/units.ts';

/** How long after an alert its price is looked at again, market ms. */
export const horizons: readonly number[] = [hour, 4 * hour, 24 * hour];

/** What the price did after one alert. Times are market ms; a price that could not be had is null. */
export interface Outcome {
  readonly kind: string;
  readonly symbol: string;
  readonly claim: Claim;
  readonly firedAt: number;
  readonly price: number | null;
  /** After each of the horizons, in their order; null also where it is not over yet. */
  readonly after: readonly (number | null)[];
  /** One of its prices was read between two hourly ones. */
  readonly estimated: boolean;
}

/** Change of price from the alert to a horizon, a fraction; undefined where it is not known. */
export function moveAfter({ price, after }: Outcome, horizon: number): number | undefined {
  const later = after[horizons.indexOf(horizon)] ?? null;
  return price === null || later === null ? undefined : later / price - 1;
}
