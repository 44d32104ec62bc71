import { hour, minute, msOf } from '../runtime/units.ts';
import { emptyIfNotOffered, type Feed, type Question, type Reading } from './feed.ts';

/** The most markets of one answer. */
const limit = 200;

const percentOf = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : share * 100;

/** A feed of the present, of what a hosted service may lack. */
const extensionFeed = (
  cadence: Pick<Feed, 'interval' | 'validFor'>,
  read: (question: Question) => Promise<readonly Reading[]>,
): Feed => ({
  askedPer: 'market',
  pastHours: 0,
  ...cadence,
  read: (question) => read(question).catch(emptyIfNotOffered),
});

/** The feeds of extensions of the interface, of which one question answers for every symbol. */
export const extensionFeeds = {
  coinRegimes: extensionFeed({ interval: 15 * minute, validFor: 3 * hour }, async ({ data, signal }) => {
    const { data: rows, breadth, timestamp } = await data.regimeMarkets({}, signal);
    const shares = {
      'breadth.riskOnPct': percentOf(breadth.RISK_ON),
      'breadth.riskOffPct': percentOf(breadth.RISK_OFF),
    };
    const ofMarkets = rows.map(({ symbol, probabilities: { RISK_ON, RISK_OFF }, score, ...row }) => ({
      symbol,
      time: msOf(row.timestamp),
      values: { 'coinRegime.riskOn': RISK_ON, 'coinRegime.riskOff': RISK_OFF, 'coinRegime.score': score },
    }));
    return [{ time: msOf(timestamp), values: shares }, ...ofMarkets];
  }),
  fundingGap: extensionFeed({ interval: 5 * minute, validFor: 30 * minute }, async ({ data, signal }) => {
    const { data: rows } = await data.fundingDispersion({ limit }, signal);
    return rows.map(({ symbol, timestamp, premiumPct }) => ({
      symbol,
      time: msOf(timestamp),
      values: { 'funding.gapPct': premiumPct },
    }));
  }),
  oiAllVenues: extensionFeed({ interval: 5 * minute, validFor: 30 * minute }, async ({ data, signal }) => {
    const { data: rows } = await data.oiAggregate({ limit }, signal);
    return rows.map(({ symbol, timestamp, totalUsd, change1h, change24h }) => ({
      symbol,
      time: msOf(timestamp),
      values: {
        'oi.allVenuesUsd': totalUsd,
        'oi.allVenuesChange1hPct': change1h?.pct,
        'oi.allVenuesChange24hPct': change24h?.pct,
      },
    }));
  }),
} satisfies Readonly<Record<string, Feed>>;
