import { hour } from '../runtime/units.ts';
import type { Labels } from './alert.ts';

/**
 * What an alert says of the price, so that it can be told afterwards how often that came true: that it goes up, or
 * down, or only that it moves more than usual.
 */
export type Expectation = 'up' | 'down' | 'move';

/** What the whole market is measured by. */
export const marketSymbol = 'BTCUSDT';

/** Whose price an alert is judged by: its symbol's, or the whole market's. */
export const judgedBy = ({ symbol }: Labels): string => symbol ?? marketSymbol;

/** How long after an alert its price is looked at again, market ms. */
export const horizons: readonly number[] = [hour, 4 * hour, 24 * hour];

/** What the price did after one alert. Times are market ms; a price that could not be had is null. */
export interface Outcome {
  readonly kind: string;
  readonly symbol: string;
  readonly claim: Expectation;
  readonly firedAt: number;
  readonly price: number | null;
  /** After each of the horizons, in their order; null also where it is not over yet. */
  readonly after: readonly (number | null)[];
  /** One of its prices was read between two hourly ones. */
  readonly estimated: boolean;
}

/** A price at a full hour, market ms. */
export interface HourlyPrice {
  readonly at: number;
  readonly price: number;
}
