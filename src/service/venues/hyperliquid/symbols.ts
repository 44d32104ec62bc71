/** The coins it writes a thousand of as one: kPEPE is the others' 1000PEPE. */
const thousand = /^k(?=[A-Z])/;
const plain = /^k?[A-Z][A-Z0-9]*$/;

/** The pair that a coin's perpetual is here; undefined for a name that no pair could be told apart by. */
export const symbolOf = (coin: string): string | undefined =>
  plain.test(coin) ? `${coin.replace(thousand, '1000')}USDT` : undefined;

/** Its own name of the coin of a pair. */
export const coinOf = (symbol: string): string => symbol.replace(/USDT$/, '').replace(/^1000(?=[A-Z])/, 'k');
