import type { SeriesName } from './archive.ts';

/** What a response is made from: a series of the archive, a part of a series, or data that the service itself derives. */
export type AnswerSource =
  | SeriesName
  | 'takerVolume'
  | 'liquidations'
  | 'quality'
  | 'listings'
  | 'listed'
  | 'audits'
  | 'state';

export type MarketSource = 'simulated' | 'recorded' | 'live';
