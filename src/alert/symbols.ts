/** Returns the coin of a pair, which is also the unit of its volumes: `BTCUSDT` → `BTC`. */
export const baseOf = (symbol: string): string => symbol.replace(/USD[TC]$/, '');

/** The entry in a list of symbols that stands for the receiver's watchlist. The store replaces it by the symbols. */
export const watchlist = 'watchlist';

/** Returns the number of a group such as `top20` (→ 20); undefined for any other entry. */
const topOf = (entry: string): number | undefined => {
  const digits = /^top(\d{1,3})$/.exec(entry)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Reads a typed group and returns it in its stored form: `top20`, `watchlist`; undefined if the text names no group. */
export function symbolGroup(text: string): string | undefined {
  const typed = text.toLowerCase().replaceAll(/[\s_-]/g, '');
  if (typed === watchlist || typed === `my${watchlist}`) return watchlist;
  const top = topOf(typed);
  return top === undefined || top === 0 ? undefined : `top${top}`;
}

/** Returns whether a stored entry is a group (or `*`) rather than a single symbol. */
export const isGroup = (entry: string): boolean => entry === '*' || symbolGroup(entry) === entry;

/**
 * Returns whether a list of symbols includes a symbol, by itself, by `*` or by a group such as `top20`.
 * @param universe tracked symbols, the largest volume first
 */
export const includesSymbol = (
  list: readonly string[],
  symbol: string,
  universe: readonly string[],
): boolean =>
  list.includes('*') ||
  list.includes(symbol) ||
  list.some((entry) => {
    const top = topOf(entry);
    if (top === undefined) return false;
    const rank = universe.indexOf(symbol);
    return rank >= 0 && rank < top;
  });

/** Returns the list with each group replaced by its symbols. Each symbol appears once. `*` stays. */
export const expandGroups = (
  list: readonly string[],
  universe: readonly string[],
  followed: readonly string[],
): string[] => [
  ...new Set(
    list.flatMap((entry) => {
      if (entry === watchlist) return followed;
      const top = topOf(entry);
      return top === undefined ? [entry] : universe.slice(0, top);
    }),
  ),
];

/** Returns the symbols that entries of subscriptions ask for, and those of them that they name themselves. */
export const wantedSymbols = (entries: readonly string[], universe: readonly string[]) => ({
  symbols: expandGroups(entries, universe, []),
  named: entries.filter((entry) => !isGroup(entry)),
});
