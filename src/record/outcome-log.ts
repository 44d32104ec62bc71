import type { Expectation, HourlyPrice, Outcome } from '../alert/outcome.ts';

/** What an alert predicts for the price, and of which symbol in which market. */
export interface PricePrediction {
  readonly market: string;
  readonly symbol: string;
  readonly prediction: Expectation;
}

/** A price that is needed to judge an alert: at its firing (`priceIndex` 0), or after each of the horizons. */
export interface PriceLook {
  readonly alertId: string;
  readonly symbol: string;
  readonly priceIndex: number;
  /** Time of the wanted price, market ms. */
  readonly at: number;
}

/** Of which alerts: absent, of all. */
export interface OfAlerts {
  readonly kind?: string | undefined;
  readonly symbol?: string | undefined;
}

/**
 * Stores what the price did after alerts, and the hourly prices that show what it usually does. Each market has its
 * own.
 */
export interface OutcomeLog {
  /** Returns the looks that are due, the earliest first; only one of each alert. */
  due(market: string, given: { readonly now: number; readonly limit: number }): Promise<PriceLook[]>;
  /** Stores prices; null if a price cannot be had any more. A price that was stored before is not changed. */
  keep(
    seen: readonly { readonly look: PriceLook; readonly price: number | null; readonly estimated: boolean }[],
  ): Promise<void>;
  /** Returns the outcomes of the alerts that were sent to someone, the earliest first. */
  posted(market: string, of?: OfAlerts): Promise<Outcome[]>;
  /** Returns the symbols of the calls made since then. */
  called(since: number): Promise<string[]>;
  /** Adds hourly prices. Hours that are already known are not changed. */
  addPrices(market: string, prices: readonly (HourlyPrice & { readonly symbol: string })[]): Promise<void>;
  /** Returns the prices from `since` on, the earliest first. */
  prices(market: string, given: { readonly symbol: string; readonly since: number }): Promise<HourlyPrice[]>;
}
