/** What a data service said of the present, as JSON. Each market has its own; times are market ms. */
export interface ReadingStore {
  /** What is there stays. */
  add(
    market: string,
    kept: { readonly feed: string; readonly at: number; readonly readings: unknown },
  ): Promise<void>;
  /** Of one feed, from < at ≤ to, ascending, at most `limit`. */
  page(
    market: string,
    given: {
      readonly feed: string;
      readonly window: { readonly from: number; readonly to: number };
      readonly limit: number;
    },
  ): Promise<{ readonly at: number; readonly readings: unknown }[]>;
}
