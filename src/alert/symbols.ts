/** The coin of a pair, which is also the unit of its volumes: `BTCUSDT` → `BTC`. */
export const baseOf = (symbol: string): string => symbol.replace(/USD[TC]$/, '');

/** What stands in a list of symbols for the symbols that a place follows. The store puts them in its place. */
export const watchlist = 'watchlist';

/** `top20` → 20; undefined where it is no such group. */
const topOf = (entry: string): number | undefined => {
  const digits = /^top(\d{1,3})$/.exec(entry)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** The group a person means, as it is kept: `top20`, `watchlist`; undefined where it is none. */
export function symbolGroup(text: string): string | undefined {
  const typed = text.toLowerCase().replaceAll(/[\s_-]/g, '');
  if (typed === watchlist || typed === `my${watchlist}`) return watchlist;
  const top = topOf(typed);
  return top === undefined || top === 0 ? undefined : `top${top}`;
}

/** Whether it stands for others, as it is kept. */
export const isGroup = (entry: string): boolean => entry === '*' || symbolGroup(entry) === entry;

/** @param universe tracked symbols, the largest volume first */
export const namesSymbol = (
  list: readonly string[],
  { symbol, universe }: { readonly symbol: string; readonly universe: readonly string[] },
): boolean =>
  list.includes('*') ||
  list.includes(symbol) ||
  list.some((entry) => {
    const top = topOf(entry);
    if (top === undefined) return false;
    const rank = universe.indexOf(symbol);
    return rank >= 0 && rank < top;
  });

/** The list with what its groups stand for in their places, each symbol once. `*` stays. */
export const spellOut = (
  list: readonly string[],
  { universe, followed }: { readonly universe: readonly string[]; readonly followed: readonly string[] },
): string[] => [
  ...new Set(
    list.flatMap((entry) => {
      if (entry === watchlist) return followed;
      const top = topOf(entry);
      return top === undefined ? [entry] : universe.slice(0, top);
    }),
  ),
];
