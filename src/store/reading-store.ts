/** What a data service reported about the present, as JSON. Each market has its own readings; times are market ms. */
export interface ReadingStore {
  /** Adds readings. Readings that exist already stay as they are. */
  add(
    market: string,
    kept: { readonly feed: string; readonly at: number; readonly readings: unknown },
  ): Promise<void>;
  /** Returns the readings of one feed, from < at ≤ to, ascending, at most `limit`. */
  page(
    market: string,
    given: {
      readonly feed: string;
      readonly window: { readonly from: number; readonly to: number };
      readonly limit: number;
    },
  ): Promise<{ readonly at: number; readonly readings: unknown }[]>;
}
