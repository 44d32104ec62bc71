import { type CandleInterval, candleLengths } from '#src/contract/candle-interval.ts';
import { day, hour } from '#src/runtime/units.ts';
import type { Candle } from '#src/service/archive/archive.ts';
import { candlesBetween } from '#src/service/simulation/candles.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import type { SimulatedPage } from './paging.ts';

/** Returns the candles of a page. A page is full even across a gap, so a short page means that there are no more candles. */
export function candlesOf(
  market: Market,
  {
    symbol,
    interval,
    startTime,
    endTime,
    limit,
    now,
  }: { readonly symbol: Instrument; readonly interval: CandleInterval; readonly now: number } & SimulatedPage,
): Candle[] {
  const period = candleLengths[interval];
  const read = (from: number, to: number) => candlesBetween(market, symbol, { from, to, interval, now });
  const last = Math.floor(Math.min(endTime ?? now, now) / period) * period;
  const first = Math.ceil(Math.max(startTime ?? 0, market.earliest) / period) * period;
  let rows: Candle[] = [];
  if (startTime !== undefined) {
    for (let from = first; from <= last && rows.length < limit; ) {
      const to = Math.min(last, from + (limit - rows.length - 1) * period);
      rows = rows.concat(read(from, to));
      from = to + period;
    }
    return rows;
  }
  for (let to = last; to >= first && rows.length < limit; ) {
    const from = Math.max(first, to - (limit - rows.length - 1) * period);
    rows = read(from, to).concat(rows);
    to = from - period;
  }
  return rows;
}

/** Returns the newest candles of a span, the newest first. */
export function newestCandles(
  market: Market,
  {
    from = 0,
    to = Number.POSITIVE_INFINITY,
    ...given
  }: {
    readonly symbol: Instrument;
    readonly interval: CandleInterval;
    readonly from?: number | undefined;
    readonly to?: number | undefined;
    readonly limit: number;
    readonly now: number;
  },
): Candle[] {
  const { interval, limit, now } = given;
  const step = candleLengths[interval];
  const endTime = Math.min(to, now);
  const startTime = Math.max(from, (Math.floor(endTime / step) - limit + 1) * step);
  return candlesOf(market, { ...given, startTime, endTime }).reverse();
}

/** The last 24 whole hours of a market: volume in coins, turnover in USDT, and the price with which they began. */
interface LastDay {
  readonly volume: number;
  readonly turnover: number;
  readonly open: number;
}

/** Returns a function that gives the last day of a symbol. It is computed once per hour. */
export function lastDays(market: Market) {
  const cached = new Map<string, LastDay & { readonly at: number }>();
  return ({ symbol }: Instrument, now: number): LastDay => {
    const at = Math.floor(now / hour) * hour;
    const before = cached.get(symbol);
    if (before?.at === at) return before;
    const hours = market.candles(symbol, { from: at - day, to: at - hour });
    const volume = hours.reduce((sum, candle) => sum + candle.volume, 0);
    const turnover = hours.reduce((sum, candle) => sum + candle.quoteVolume, 0);
    const counted = { at, volume, turnover, open: hours[0]?.open ?? market.price(symbol, at) };
    cached.set(symbol, counted);
    return counted;
  };
}

/** Returns a decimal string without exponent. Rounding removes the floating-point errors of a day's sum. */
const amount = (value: number): string =>
  value % 1 === 0 ? String(value) : value.toFixed(8).replace(/0+$/, '');

/** Returns a candle as Binance's kline array. Indexes 9 and 10 are the taker buy volumes in base and quote units. */
export function klineOf(candle: Candle, { priceDecimals, period }: { readonly period: number } & Instrument) {
  const price = (value: number) => value.toFixed(priceDecimals);
  const { time, open, high, low, close, volume, takerBuy, quoteVolume } = candle;
  const takerQuote = volume > 0 ? (quoteVolume * takerBuy) / volume : 0;
  return [
    time,
    price(open),
    price(high),
    price(low),
    price(close),
    amount(volume),
    time + period - 1,
    quoteVolume.toFixed(2),
    Math.round(quoteVolume / 1_500),
    amount(takerBuy),
    takerQuote.toFixed(2),
    '0',
  ];
}

/** Returns a kline of the mark or index price. Its volumes are 0. */
export const priceKline = (
  time: number,
  { open, close, period }: { readonly open: number; readonly close: number; readonly period: number },
) => {
  const text = (value: number) => value.toFixed(8);
  const [high, low] = [Math.max(open, close), Math.min(open, close)];
  return [
    time,
    text(open),
    text(high),
    text(low),
    text(close),
    '0',
    time + period - 1,
    '0',
    0,
    '0',
    '0',
    '0',
  ];
};
