import { hour, minute } from '../runtime/units.ts';
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
  ...cadence,
  read: (question) => read(question).catch(emptyIfNotOffered),
});

/** Changes of a market's price, as /prices and the stream of prices tell them. */
interface Changed
  extends Readonly<
    Partial<Record<`change${'1m' | '5m' | '15m' | '1h' | '4h' | '7d'}Pct`, number | undefined>>
  > {
  readonly symbol: string;
  readonly time: number;
}

const changeReading = ({ symbol, time, ...changes }: Changed): Reading => ({
  symbol,
  time,
  values: {
    'price.change1mPct': changes.change1mPct,
    'price.change5mPct': changes.change5mPct,
    'price.change15mPct': changes.change15mPct,
    'price.change1hPct': changes.change1hPct,
    'price.change4hPct': changes.change4hPct,
    'price.change7dPct': changes.change7dPct,
  },
});

/** Returns what a streamed price tells, up to when it is known to hold. */
export const liveReading = (live: Changed & { readonly price: number }): Reading => {
  const reading = changeReading(live);
  return { ...reading, values: { ...reading.values, 'price.last': live.price } };
};

/** The feeds of extensions of the interface, of which one question answers for every symbol. */
export const extensionFeeds = {
  prices: extensionFeed({ interval: minute, validFor: 10 * minute }, async ({ data, signal }) => {
    const { data: rows } = await data.prices({}, signal);
    return rows.map((row) => changeReading({ ...row, time: Date.parse(row.timestamp) }));
  }),
  coinRegimes: extensionFeed({ interval: 15 * minute, validFor: 3 * hour }, async ({ data, signal }) => {
    const { data: rows, breadth, timestamp } = await data.regimeMarkets({}, signal);
    const shares = {
      'breadth.riskOnPct': percentOf(breadth.RISK_ON),
      'breadth.riskOffPct': percentOf(breadth.RISK_OFF),
    };
    const ofMarkets = rows.map(({ symbol, probabilities: { RISK_ON, RISK_OFF }, score, ...row }) => ({
      symbol,
      time: Date.parse(row.timestamp),
      values: { 'coinRegime.riskOn': RISK_ON, 'coinRegime.riskOff': RISK_OFF, 'coinRegime.score': score },
    }));
    return [{ time: Date.parse(timestamp), values: shares }, ...ofMarkets];
  }),
  fundingGap: extensionFeed({ interval: 5 * minute, validFor: 30 * minute }, async ({ data, signal }) => {
    const { data: rows } = await data.fundingDispersion({ limit }, signal);
    return rows.map(({ symbol, timestamp, premiumPct }) => ({
      symbol,
      time: Date.parse(timestamp),
      values: { 'funding.gapPct': premiumPct },
    }));
  }),
  oiAllVenues: extensionFeed({ interval: 5 * minute, validFor: 30 * minute }, async ({ data, signal }) => {
    const { data: rows } = await data.oiAggregate({ limit }, signal);
    return rows.map(({ symbol, timestamp, totalUsd, change1h, change24h }) => ({
      symbol,
      time: Date.parse(timestamp),
      values: {
        'oi.allVenuesUsd': totalUsd,
        'oi.allVenuesChange1hPct': change1h?.pct,
        'oi.allVenuesChange24hPct': change24h?.pct,
      },
    }));
  }),
} satisfies Readonly<Record<string, Feed>>;
