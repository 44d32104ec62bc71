import type { Clock } from '../runtime/clock.ts';
import { iso, second } from '../runtime/units.ts';

export interface PriceLooksOptions {
  /** Returns the prices of these markets that are streamed, and their time, market ms; undefined while none are. */
  readonly livePrices: (
    symbols: readonly string[],
  ) => { readonly at: number; readonly prices: ReadonlyMap<string, { readonly price: number }> } | undefined;
  /** Followed markets. */
  readonly universe: () => readonly string[];
  readonly steady: Clock;
}

/** Creates what a detector that follows prices looks at: the streamed ones as they change, at most once a second. */
export function createPriceLooks({ livePrices, universe, steady }: PriceLooksOptions) {
  let [pricedAt, lookedAt] = [0, Number.NEGATIVE_INFINITY];
  return {
    /** Returns the streamed prices of the followed markets; undefined while none are streamed. */
    take() {
      const symbols = universe();
      const streamed = livePrices(symbols);
      if (streamed === undefined) return undefined;
      [pricedAt, lookedAt] = [streamed.at, steady.now()];
      const coins = symbols.flatMap((symbol) => {
        const known = streamed.prices.get(symbol);
        return known === undefined ? [] : [{ symbol, price: known.price }];
      });
      return coins.length === 0 ? undefined : { coins, timestamp: iso(streamed.at) };
    },
    /** Returns whether there are prices that were not looked at. */
    areDue: () => steady.now() - lookedAt >= second && (livePrices(universe())?.at ?? pricedAt) !== pricedAt,
  };
}
