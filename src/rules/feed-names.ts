/** The feeds from which metrics come. */
export const feedNames = [
  'overview',
  'prices',
  'funding',
  'fundingExtremes',
  'regime',
  'liquidations',
  'quality',
  'macro',
  'coin',
  'openInterest',
  'basis',
  'volume',
  'ratio',
  'spread',
  'options',
  'oiVelocity',
  'leverage',
  'liquidationScore',
  'liquidationZones',
  'candles5m',
  'candles15m',
  'candles1h',
  'candles4h',
  'candles1d',
] as const;
export type FeedName = (typeof feedNames)[number];
export type CandleFeedName = Extract<FeedName, `candles${string}`>;
