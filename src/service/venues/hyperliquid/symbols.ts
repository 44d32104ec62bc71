/** Hyperliquid's prefix for a unit of a thousand coins: kPEPE is 1000PEPE at other venues. */
const thousandPrefix = /^k(?=[A-Z])/;
/** A name that begins with 1000 would be taken for a unit of a thousand coins. */
const coinPattern = /^(?!1000[A-Z])(k?[A-Z]|\d)[A-Z0-9]*$/;

/** Returns the archive's pair for a coin's perpetual, or undefined for a name from which no unambiguous pair can be made. */
export const symbolOf = (coin: string): string | undefined =>
  coinPattern.test(coin) ? `${coin.replace(thousandPrefix, '1000')}USDT` : undefined;

/** Returns Hyperliquid's name for the coin of a pair. */
export const coinOf = (symbol: string): string => symbol.replace(/USDT$/, '').replace(/^1000(?=[A-Z])/, 'k');
