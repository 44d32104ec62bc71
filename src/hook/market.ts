import type { MarketReading } from './fields.ts';
import { nameOf } from './template.ts';

/** Exchanges of coins, as TradingView and bots name them; `CRYPTO` and `INDEX` are TradingView's own prices. */
const coinExchanges =
  'binance bybit okx okex bitget kucoin coinbase kraken bitstamp bitfinex huobi htx gate mexc phemex bitmex deribit gemini crypto index hyperliquid bitmart bingx woo poloniex upbit bithumb coinex lbank whitebit blofin dydx bitrue pionex toobit bitflyer bitvavo delta aevo aster paradex backpack vertex'.split(
    ' ',
  );
const isCoinExchange = (name: string): boolean => {
  const plain = nameOf(name);
  // The capitalisation of a coin is no price of it.
  return !plain.startsWith('cryptocap') && coinExchanges.some((each) => plain.startsWith(each));
};

/** A market that is quoted in dollar coins is one of coins, wherever it is. */
const inDollarCoins = /USD[TC](?:\.P|[:_-]?(?:SWAP|PERP|USD[TC]))*$/i;

/**
 * How far a price may be from the market's own. A pair that names its exchange or is quoted in dollar coins may be a limit order
 * far away, a bare `BTC` may be a fund of that ticker.
 */
const farOf = { pair: 4, ticker: 1.1 };

/** Prices of a thousand or a million coins: 1000PEPEUSDT. */
const multipleOf = (symbol: string): number =>
  /^(1000000|1M)/.test(symbol) ? 1e6 : symbol.startsWith('1000') ? 1_000 : 1;

/** `USDT_BTC`, also behind the short name of an exchange: `BINA_USDT_BTC`. */
const quoteFirst = /^(?:[A-Za-z]{2,8}_)?(USDT|USDC|USD)[_-](\w{2,15})$/i;

const prefix = /^([A-Za-z_]{2,20}):(?=[A-Za-z0-9])/;

/**
 * Returns what finds the tracked market that a sender means. TradingView puts the exchange before the market:
 * `BINANCE:BTCUSDT.P`. What may be another asset of the same ticker, by its exchange or by its price, is no tracked market.
 */
export const marketOf =
  ({
    resolveSymbol,
    priceOf = () => undefined,
  }: {
    readonly resolveSymbol: (text: string) => string;
    readonly priceOf?: ((symbol: string) => number | undefined) | undefined;
  }): MarketReading['symbolOf'] =>
  (text, { exchange: field, price } = {}) => {
    const exchange = prefix.exec(text)?.[1] ?? field;
    const plainName = text.replace(prefix, '');
    const named =
      resolved(plainName, resolveSymbol) === undefined ? plainName.replace(quoteFirst, '$2$1') : plainName;
    const symbol = resolved(named, resolveSymbol);
    if (symbol === undefined) return undefined;
    const isCoin = inDollarCoins.test(named) || (exchange !== undefined && isCoinExchange(exchange));
    // A share may cost what the coin of its ticker does.
    if (exchange !== undefined && !isCoin && !/USD/i.test(named)) return undefined;
    const own = priceOf(symbol);
    if (price === undefined || own === undefined || !(own > 0))
      return isCoin || exchange === undefined ? symbol : undefined;
    const far = isCoin ? farOf.pair : farOf.ticker;
    const isNear = [1, multipleOf(symbol)].some((multiple) => {
      const ratio = (price * multiple) / own;
      return ratio < far && ratio > 1 / far;
    });
    return isNear ? symbol : undefined;
  };

function resolved(named: string, resolve: (text: string) => string): string | undefined {
  try {
    return resolve(named);
  } catch {
    return undefined;
  }
}
