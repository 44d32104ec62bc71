import { hour } from '../runtime/units.ts';
import type { Labels } from './alert.ts';

/**
 * What an alert predicts about the price: that it rises, falls, or only moves more than usual. Outcomes are compared with
 * this prediction to show how often it came true.
 */
export type Expectation = 'up' | 'down' | 'move';

/** The symbol whose price stands for the whole market. */
export const marketSymbol = 'BTCUSDT';

/** Returns the symbol whose price an alert is judged by: its own, or that of the whole market. */
export const priceSymbolOf = ({ symbol }: Labels): string => symbol ?? marketSymbol;

/** How long after an alert the price is read again, market ms. */
export const horizons: readonly number[] = [hour, 4 * hour, 24 * hour];

/** What the price did after one alert. Times are market ms; a price that could not be obtained is null. */
export interface Outcome {
  readonly kind: string;
  readonly symbol: string;
  readonly prediction: Expectation;
  readonly firedAt: number;
  readonly price: number | null;
  /** The price after each of the `horizons`, in their order; null also for a horizon that still lies ahead. */
  readonly after: readonly (number | null)[];
  /** Whether any of these prices was interpolated between two hourly prices. */
  readonly estimated: boolean;
}

/** A price at a full hour, market ms. */
export interface HourlyPrice {
  readonly at: number;
  readonly price: number;
}
