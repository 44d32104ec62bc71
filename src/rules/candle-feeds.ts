import { hour, minute, msOf } from '../runtime/units.ts';
import { type CandleFigure, type Timeframe, timeframeLengths, timeframes } from './candle-metrics.ts';
import { emptyIfNotOffered, type Feed, type Reading } from './feed.ts';
import type { CandleFeedName } from './feed-names.ts';
import { atr, type Bar, bollinger, ema, macd, rsi } from './indicators.ts';

/** The most candles that an answer holds. An average of 200 closes remembers 0.03 % of what lies before 1,000. */
const maxCandles = 1_000;
/** Candles that the slowest indicator needs before it is near its value. */
const warmUp = 400;

/** A feed of closed candles of each length, with what is computed from them. */
export const candleFeeds = Object.fromEntries(
  timeframes.map((each) => [`candles${each}`, candleFeed(each)]),
) as Readonly<Record<CandleFeedName, Feed>>;

function candleFeed(timeframe: Timeframe): Feed {
  const length = timeframeLengths[timeframe];
  return {
    askedPer: 'symbol',
    interval: length,
    aligned: true,
    // One candle may be late.
    validFor: 2 * length + 10 * minute,
    pastHours: Math.floor(((maxCandles - warmUp) * length) / hour),
    async read({ data, symbols: [symbol = ''], hours, signal }) {
      const { data: rows } = await data
        .candles({ symbol, interval: timeframe, limit: maxCandles }, signal)
        .catch((error: unknown) => ({ data: emptyIfNotOffered(error) }));
      const bars = rows.map(({ h, l, c, v }) => ({
        ...{ high: Number(h), low: Number(l), close: Number(c), volume: Number(v) },
      }));
      const figures = figuresOf(bars);
      const from = hours === undefined ? rows.length - 1 : rows.length - Math.ceil((hours * hour) / length);
      return rows.flatMap(({ open_time }, index): Reading[] =>
        index < from
          ? []
          : [
              {
                symbol,
                time: msOf(open_time) + length,
                values: Object.fromEntries(
                  Object.entries(figures).map(([name, values]) => [`${name}.${timeframe}`, values[index]]),
                ),
              },
            ],
      );
    },
  };
}

/** Returns the figures after each candle. Those that are not known yet are NaN, and are no facts. */
function figuresOf(bars: readonly Bar[]): Readonly<Record<CandleFigure, readonly number[]>> {
  const closes = bars.map(({ close }) => close);
  const bands = bollinger(closes, { length: 20, deviations: 2 });
  const ranges = atr(bars, 14);
  const before = (count: number, extreme: (of: readonly Bar[]) => number): number[] =>
    bars.map((_, index) => (index < count ? Number.NaN : extreme(bars.slice(index - count, index))));
  const highest = (of: readonly Bar[]) => Math.max(...of.map(({ high }) => high));
  const lowest = (of: readonly Bar[]) => Math.min(...of.map(({ low }) => low));
  return {
    close: closes,
    rsi: rsi(closes, 14),
    ema20: ema(closes, 20),
    ema50: ema(closes, 50),
    ema200: ema(closes, 200),
    macd: macd(closes, { short: 12, long: 26, signal: 9 }).map(({ histogram }) => histogram),
    bollingerUpper: bands.map(({ upper }) => upper),
    bollingerLower: bands.map(({ lower }) => lower),
    atrPct: ranges.map((range, index) => (range / (closes[index] ?? Number.NaN)) * 100),
    high20: before(20, highest),
    low20: before(20, lowest),
    high50: before(50, highest),
    low50: before(50, lowest),
  };
}
