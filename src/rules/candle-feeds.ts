import type { DataClient } from '../contract/data-client.ts';
import { day, hour, minute } from '../runtime/units.ts';
import { addToWeek, hoursOfWeek, newWeek, usualSize } from '../runtime/week.ts';
import {
  type CandleFigure,
  extremeWindows,
  type Timeframe,
  timeframeLengths,
  timeframes,
} from './candle-metrics.ts';
import { emptyIfNotOffered, type Feed, type Reading } from './feed.ts';
import type { CandleFeedName } from './feed-names.ts';
import type { Bar } from './indicators.ts';
import type { MetricName } from './metrics.ts';

/** The most candles that an answer holds. An average of 200 closes remembers 0.03 % of what lies before 1,000. */
const maxCandles = 1_000;
/** Candles that the slowest indicator needs before it is near its value. */
const warmUp = 400;

type Row = Awaited<ReturnType<DataClient['candles']>>['data'][number];

const bandLength = 20;

/** A feed of closed candles of each length, with what is computed from them. */
export const candleFeeds = Object.fromEntries(
  timeframes.map((each) => [`candles${each}`, candleFeed(each)]),
) as Readonly<Record<CandleFeedName, Feed>>;

function candleFeed(timeframe: Timeframe): Feed {
  const length = timeframeLengths[timeframe];
  return {
    isPerSymbol: true,
    interval: length,
    aligned: true,
    // One candle may be late.
    validFor: 2 * length + 10 * minute,
    pastHours: Math.floor(((maxCandles - warmUp) * length) / hour),
    async read({ data, symbols: [symbol = ''], hours, metrics, signal }) {
      const { data: rows } = await data
        .candles({ symbol, interval: timeframe, limit: maxCandles }, signal)
        .catch((error: unknown) => ({ data: emptyIfNotOffered(error) }));
      const indicators = await import('./indicators.ts');
      const wanted = hours === undefined ? 1 : Math.ceil((hours * hour) / length);
      const from = Math.max(0, rows.length - wanted);
      const known = figuresOf(rows, { from, ...indicators });
      const figures = Object.entries({
        ...Object.fromEntries(
          Object.entries(known).map(([name, values]) => [`${name}.${timeframe}`, values]),
        ),
        ...(timeframe === '1h' && hourFiguresOf(rows, from)),
      }).flatMap(([name, values]) =>
        metrics?.has(name as MetricName) === false ? [] : [[name, values()] as const],
      );
      return rows.slice(from).map(
        ({ open_time }, index): Reading => ({
          symbol,
          time: Date.parse(open_time) + length,
          values: Object.fromEntries(figures.map(([name, values]) => [name, values[from + index]])),
        }),
      );
    },
  };
}

const barOf = ({ h, l, c, v }: Row): Bar => ({
  high: Number(h),
  low: Number(l),
  close: Number(c),
  volume: Number(v),
});

/** What computes a figure after each candle, from an index on. Those that are not known yet are NaN, and are no facts. */
type Figure = () => readonly number[];

function figuresOf(
  rows: readonly Row[],
  { from, atr, bollinger, ema, macd, rsi }: { readonly from: number } & typeof import('./indicators.ts'),
): Readonly<Record<CandleFigure, Figure>> {
  const closes = rows.map(({ c }) => Number(c));
  const band = (which: 'upper' | 'lower') => () => {
    const begin = Math.max(0, from - bandLength);
    const bands = bollinger(closes.slice(begin), { length: bandLength, deviations: 2 });
    return closes.map((_, index) => bands[index - begin]?.[which] ?? Number.NaN);
  };
  const before = (count: number, extreme: (of: readonly Row[]) => number) => () =>
    rows.map((_, index) =>
      index < Math.max(from, count) ? Number.NaN : extreme(rows.slice(index - count, index)),
    );
  const highest = (of: readonly Row[]) => Math.max(...of.map(({ h }) => Number(h)));
  const lowest = (of: readonly Row[]) => Math.min(...of.map(({ l }) => Number(l)));
  return {
    close: () => closes,
    rsi: () => rsi(closes, 14),
    ema20: () => ema(closes, 20),
    ema50: () => ema(closes, 50),
    ema200: () => ema(closes, 200),
    macd: () => macd(closes, { short: 12, long: 26, signal: 9 }).map(({ histogram }) => histogram),
    bollingerUpper: band('upper'),
    bollingerLower: band('lower'),
    atrPct: () =>
      atr(rows.map(barOf), 14).map((range, index) => (range / (closes[index] ?? Number.NaN)) * 100),
    high20: before(20, highest),
    low20: before(20, lowest),
    high50: before(50, highest),
    low50: before(50, lowest),
  };
}

interface HourBar extends Pick<Bar, 'high' | 'low'> {
  /** When it opened, ms. */
  readonly time: number;
  readonly quote: number;
}

/** Returns what is known after each hour of the hours before. Where hours are missing it is NaN, and no fact. */
function hourFiguresOf(rows: readonly Row[], from: number): Readonly<Record<string, Figure>> {
  const bars = rows.map(
    ({ open_time, h, l, quote_volume }): HourBar => ({
      ...{ high: Number(h), low: Number(l) },
      ...{ time: Date.parse(open_time), quote: Number(quote_volume) },
    }),
  );
  const over = (length: number, figure: (of: readonly HourBar[]) => number) => () =>
    bars.map((_, index) => {
      const of = index < from ? [] : lastHours(bars, { index, count: length / hour });
      return of.length === 0 ? Number.NaN : figure(of);
    });
  const extremes = Object.entries(extremeWindows).flatMap(([window, length]) => [
    [`price.high${window}`, over(length, (of) => Math.max(...of.map(({ high }) => high)))],
    [`price.low${window}`, over(length, (of) => Math.min(...of.map(({ low }) => low)))],
  ]);
  return {
    ...Object.fromEntries(extremes),
    'volume.quote24h': over(day, quoteOf),
    'volume.vsUsualPct': () => againstUsual(bars, from),
  };
}

const quoteOf = (bars: readonly HourBar[]): number => bars.reduce((sum, { quote }) => sum + quote, 0);

/** Returns the `count` hours up to that of an index; none if one of them is missing. */
function lastHours(
  bars: readonly HourBar[],
  { index, count }: { readonly index: number; readonly count: number },
): readonly HourBar[] {
  const [first, last] = [bars[index + 1 - count], bars[index]];
  const isWhole = first !== undefined && last !== undefined && last.time - first.time === (count - 1) * hour;
  return isWhole ? bars.slice(index + 1 - count, index + 1) : [];
}

/** Returns by how much the volume of each hour was above what the week before and that hour of earlier weeks let expect, percent. */
function againstUsual(bars: readonly HourBar[], from: number): readonly number[] {
  const past = newWeek();
  return bars.map(({ time, quote }, index) => {
    const mean = quoteOf(lastHours(bars, { index: index - 1, count: hoursOfWeek })) / hoursOfWeek;
    if (!(mean > 0)) return Number.NaN;
    const usual = index < from ? undefined : usualSize(past, time);
    addToWeek(past, { at: time, size: quote / mean });
    return usual === undefined ? Number.NaN : (quote / (mean * usual) - 1) * 100;
  });
}
