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

/** What a perpetual is on, where that is no coin. PREMARKET: what does not exist yet. OTHER: the venue’s label is not known. */
export type MarketKind = 'STOCK' | 'COMMODITY' | 'INDEX' | 'PREMARKET' | 'OTHER';

export type MarketSource = 'simulated' | 'recorded' | 'live';
