import { fixedSlack, relativeSlack } from '../alert/slack.ts';
import { span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { day, hour, minute } from '../runtime/units.ts';
import type { CandleFeedName } from './feed-names.ts';
import {
  atLeastZero,
  downToNothing,
  inPercent,
  inUsd,
  inUsdt,
  level,
  type MetricEntry,
  percentage,
  plain,
  portion,
} from './metric-entry.ts';

/** The lengths of candles whose closes and indicators conditions can name: `rsi.4h`; ms. */
export const timeframeLengths = {
  '5m': 5 * minute,
  '15m': 15 * minute,
  '1h': hour,
  '4h': 4 * hour,
  '1d': day,
} as const;
export type Timeframe = keyof typeof timeframeLengths;
export const timeframes = Object.keys(timeframeLengths) as readonly Timeframe[];

/** Describes the metrics of closed candles, `time` long. They change only when a candle closes. */
const metricsOf = (time: Text) =>
  ({
    close: {
      words: msg('{time} close', { time }),
      description: msg('Last close of {time} candles', { time }),
      ...inUsdt,
    },
    rsi: {
      words: msg('{time} RSI', { time }),
      description: msg('RSI (14) at the last close of {time} candles, 0 to 100', { time }),
      ...plain({ digits: 1, slack: fixedSlack(2), range: percentage }),
    },
    ema20: { words: msg('{time} EMA {n}', { time, n: 20 }), description: average(time, 20), ...inUsdt },
    ema50: { words: msg('{time} EMA {n}', { time, n: 50 }), description: average(time, 50), ...inUsdt },
    ema200: { words: msg('{time} EMA {n}', { time, n: 200 }), description: average(time, 200), ...inUsdt },
    macd: {
      words: msg('{time} MACD histogram', { time }),
      description: msg('MACD (12, 26) less its signal (9) on {time} candles: above 0 after a bullish cross', {
        time,
      }),
      ...level({ slack: relativeSlack(0.1) }),
    },
    bollingerUpper: {
      words: msg('{time} upper Bollinger band', { time }),
      description: msg('Upper Bollinger band (20, 2) of {time} candles', { time }),
      ...inUsdt,
    },
    bollingerLower: {
      words: msg('{time} lower Bollinger band', { time }),
      description: msg('Lower Bollinger band (20, 2) of {time} candles', { time }),
      ...inUsdt,
    },
    atrPct: {
      words: msg('{time} ATR', { time }),
      description: msg('Average true range (14) of {time} candles, percent of the close', { time }),
      ...portion({ digits: 2, slack: relativeSlack(0.1), range: atLeastZero }),
    },
    high20: { words: msg('high of 20 × {time}', { time }), description: extreme(time, 20), ...inUsdt },
    low20: { words: msg('low of 20 × {time}', { time }), description: extreme(time, 20), ...inUsdt },
    high50: { words: msg('high of 50 × {time}', { time }), description: extreme(time, 50), ...inUsdt },
    low50: { words: msg('low of 50 × {time}', { time }), description: extreme(time, 50), ...inUsdt },
  }) as const satisfies Readonly<Record<string, Omit<MetricEntry, 'feed'>>>;

const average = (time: Text, n: number): Text =>
  msg('Exponential average of {n} closes of {time} candles', { time, n });
const extreme = (time: Text, n: number): Text =>
  msg('Highest high or lowest low of the {n} {time} candles before the last closed one', { time, n });

export type CandleFigure = keyof ReturnType<typeof metricsOf>;
type CandleMetric = `${CandleFigure}.${Timeframe}`;

/** The windows whose highest and lowest price conditions can name: `price.high24h`; ms. */
export const extremeWindows = { '1h': hour, '4h': 4 * hour, '24h': day, '7d': 7 * day } as const;
type ExtremeMetric = `price.${'high' | 'low'}${keyof typeof extremeWindows}`;

const extremeMetrics = Object.fromEntries(
  Object.entries(extremeWindows).flatMap(([window, length]) => {
    const time = span(length);
    const high: MetricEntry = {
      feed: 'candles1h',
      words: msg('{time} high', { time }),
      description: msg('Highest price of the {time} up to the last full hour', { time }),
      ...inUsdt,
    };
    const low: MetricEntry = {
      ...high,
      words: msg('{time} low', { time }),
      description: msg('Lowest price of the {time} up to the last full hour', { time }),
    };
    return [
      [`price.high${window}`, high],
      [`price.low${window}`, low],
    ];
  }),
) as Readonly<Record<ExtremeMetric, MetricEntry>>;

const volumeMetrics = {
  'volume.quote24h': {
    feed: 'candles1h',
    words: msg('24 h volume'),
    description: msg('Volume of the last 24 full hours, USD'),
    ...inUsd(0.05),
  },
  'volume.vsUsualPct': {
    feed: 'candles1h',
    words: msg('volume against the usual'),
    description: msg(
      'Volume of the last full hour above (+) or below the usual of that hour of the week, percent',
    ),
    ...inPercent({ digits: 0, slack: fixedSlack(20), range: downToNothing }),
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;

const figureMetrics = Object.fromEntries(
  timeframes.flatMap((timeframe) => {
    const feed: CandleFeedName = `candles${timeframe}`;
    return Object.entries(metricsOf(span(timeframeLengths[timeframe]))).map(
      ([name, entry]) => [`${name}.${timeframe}`, { ...entry, feed }] as const,
    );
  }),
) as Readonly<Record<CandleMetric, MetricEntry>>;

/** The metrics over closed candles that a condition can name. */
export const candleMetrics = { ...figureMetrics, ...extremeMetrics, ...volumeMetrics };
