import type { AnswerSource } from '../archive/sources.ts';
import type { Venue } from './venue.ts';

/** Returns the data that the venue does not publish, each with a phrase that completes “the venue does not publish …”. */
export function unpublishedSources({ roles }: Venue): ReadonlyMap<AnswerSource, string> {
  const phrases: [AnswerSource, string, unknown][] = [
    ['candles5m', 'candles', roles.candles],
    ['candles1h', 'candles', roles.candles],
    ['candles1d', 'candles', roles.candles],
    ['takerVolume', 'how much takers bought', roles.candles?.takers || undefined],
    ['funding', 'settled funding', roles.funding],
    ['marks', 'mark prices', roles.marks],
    ['openInterest', 'open interest', roles.openInterest ?? roles.pastOpenInterest],
    ['topRatio', 'long/short ratios of top traders', roles.ratios?.top || undefined],
    ['globalRatio', 'long/short ratios', roles.ratios],
    ['book', 'order books', roles.book ?? roles.quotes],
    ['liquidations', 'liquidations', roles.liquidations],
  ];
  return new Map(phrases.flatMap(([source, words, role]) => (role === undefined ? [[source, words]] : [])));
}
