const minute = 60_000;
const hour = 60 * minute;

/** The lengths of candles, ms. Each begins at a multiple of its length, UTC. */
export const candleLengths = {
  '1m': minute,
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '4h': 4 * hour,
  '1d': 24 * hour,
} as const;

export type CandleInterval = keyof typeof candleLengths;
export const candleIntervals = Object.keys(candleLengths) as [CandleInterval, ...CandleInterval[]];
