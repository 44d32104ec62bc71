import type { Expectation, HourlyPrice, Outcome } from '../alert/outcome.ts';

/** What an alert says of the price, and whose: of which symbol, in which market. */
export interface Judged {
  readonly market: string;
  readonly symbol: string;
  readonly claim: Expectation;
}

/** A look at the price an alert is judged by: at its firing (0), or after each of the horizons. */
export interface PriceLook {
  readonly alertId: string;
  readonly symbol: string;
  readonly turn: number;
  /** Market ms of the price that is wanted. */
  readonly at: number;
}

/** What the price did after alerts, and what it does anyway. Each market has its own. */
export interface OutcomeLog {
  /** Looks that are due, the earliest first; of one alert one at a time. */
  due(market: string, given: { readonly now: number; readonly limit: number }): Promise<PriceLook[]>;
  /** Keeps what was seen, null where it cannot be had any more. A look that was kept before stays as it is. */
  keep(
    seen: readonly { readonly look: PriceLook; readonly price: number | null; readonly estimated: boolean }[],
  ): Promise<void>;
  /** Of the alerts someone was told of, the earliest first. */
  posted(market: string, of?: { readonly kind?: string; readonly symbol?: string }): Promise<Outcome[]>;
  /** Those of which someone was told. */
  kinds(market: string): Promise<string[]>;
  /** Hours already known stay as they are. */
  addPrices(market: string, prices: readonly (HourlyPrice & { readonly symbol: string })[]): Promise<void>;
  /** From then on, the earliest first. */
  prices(market: string, given: { readonly symbol: string; readonly since: number }): Promise<HourlyPrice[]>;
}
