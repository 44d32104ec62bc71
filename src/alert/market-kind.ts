import { msg, type Text } from '../language/text.ts';
import type { Fact } from './alert.ts';

/** By symbol: what a market is on, where that is no coin, in the words of the data service. */
export type MarketKinds = Readonly<Record<string, string>>;

const texts: Readonly<Record<string, Text>> = {
  STOCK: msg('a perpetual on a stock, not the stock'),
  COMMODITY: msg('a perpetual on a commodity, not the commodity'),
  INDEX: msg('a perpetual on an index, not the index'),
  PREMARKET: msg('a perpetual on what is not traded yet'),
};

/** Says of each of the markets that is no coin's what it is. */
export const kindFacts = (symbols: Iterable<string>, kinds: MarketKinds): Fact[] =>
  [...new Set(symbols)].flatMap((symbol) => {
    const kind = kinds[symbol];
    if (kind === undefined) return [];
    return [{ name: symbol, value: texts[kind] ?? msg('a perpetual that is not on a coin') }];
  });
