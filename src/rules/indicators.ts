import { ATR, BollingerBands, EMA, MACD, RSI } from 'trading-signals';

/** What an indicator reads of a candle. */
export interface Bar {
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** An indicator's value after each candle, ascending; NaN until it has seen as many as it is named after. */
type Values = readonly number[];

export function ema(closes: Values, length: number): Values {
  const indicator = new EMA(length);
  return closes.map((close, index) => {
    const value = indicator.update(close, false);
    return index + 1 < length ? Number.NaN : value;
  });
}

/** Smoothed as by Wilder. */
export function rsi(closes: Values, length: number): Values {
  const indicator = new RSI(length);
  return closes.map((close) => indicator.update(close, false) ?? Number.NaN);
}

/** Smoothed as by Wilder. */
export function atr(bars: readonly Bar[], length: number): Values {
  const indicator = new ATR(length);
  return bars.map((bar) => indicator.update(bar, false) ?? Number.NaN);
}

/** Population deviations around the mean. */
export function bollinger(
  closes: Values,
  { length, deviations }: { readonly length: number; readonly deviations: number },
): readonly { readonly upper: number; readonly middle: number; readonly lower: number }[] {
  const indicator = new BollingerBands(length, deviations);
  const unknown = { upper: Number.NaN, middle: Number.NaN, lower: Number.NaN };
  return closes.map((close) => indicator.update(close, false) ?? unknown);
}

export function macd(
  closes: Values,
  { short, long, signal }: { readonly short: number; readonly long: number; readonly signal: number },
): readonly { readonly macd: number; readonly signal: number; readonly histogram: number }[] {
  const indicator = new MACD(new EMA(short), new EMA(long), new EMA(signal));
  const unknown = { macd: Number.NaN, signal: Number.NaN, histogram: Number.NaN };
  return closes.map((close) => indicator.update(close, false) ?? unknown);
}

/** The mean price weighted by volume over the candles so far. The price of a candle is the mean of its high, low and close. */
export function vwap(bars: readonly Bar[]): Values {
  let [value, volume] = [0, 0];
  return bars.map((bar) => {
    value += ((bar.high + bar.low + bar.close) / 3) * bar.volume;
    volume += bar.volume;
    return volume > 0 ? value / volume : Number.NaN;
  });
}
