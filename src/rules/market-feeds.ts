import { allLiquidations } from '../client/all-liquidations.ts';
import { fundingHours } from '../client/funding-hours.ts';
import { fundingStandings } from '../client/funding-standings.ts';
import { isTruncated, maxExtremes, yearlyPct } from '../contract/settlements.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { hour, iso, minute } from '../runtime/units.ts';
import { emptyIfNotOffered, type Feed, type Question, type Reading } from './feed.ts';

/** The largest limits that the service accepts. If there is more, the rest is not known. */
const limits = { settlements: 1_000, candles: 1_000, days: 90 } as const;
const day = 24;
/** Days of a week. Values that change seldom are charted over a week at least. */
const week = 7;
/** The fewest settlements that a chart shows: ten days for most markets. */
const minChartSettlements = 30;
/** Hours between two settlements of most markets. */
const usualInterval = 8;

const macroFields = [
  ['macro.sp500', 'sp500'],
  ['macro.gold', 'gold'],
  ['macro.dxy', 'dxy'],
  ['macro.sp500Corr', 'btc_sp500_corr'],
  ['macro.goldCorr', 'btc_gold_corr'],
  ['macro.dxyCorr', 'btc_dxy_corr'],
] as const;

/** The feeds of which one question answers for every symbol. */
export const marketFeeds = {
  overview: {
    interval: minute,
    validFor: 15 * minute,
    async read({ data, signal }) {
      const { coins, fearGreed, timestamp } = await data.marketOverview({}, signal);
      const time = Date.parse(timestamp);
      return [
        { time, values: { 'fearGreed.value': fearGreed } },
        ...coins.map(({ symbol, price, signal: strength, master }) => ({
          symbol,
          time,
          values: { 'price.last': price, 'signal.strength': strength, 'signal.master': master },
        })),
      ];
    },
    history: {
      metrics: ['price.last'],
      async read({ data, symbols: [symbol], hours = day, now, signal }) {
        if (symbol === undefined) return [];
        const { price, candles24h } = await data.intelligence({ symbol }, signal);
        const candles =
          hours > day
            ? await data
                .candles({ symbol, interval: '1h', limit: Math.min(hours, limits.candles) }, signal)
                .then((answer) => answer.data, emptyIfNotOffered)
            : [];
        const closed = (candles.length === 0 ? candles24h : candles).map(({ open_time, c }) => ({
          time: Date.parse(open_time) + hour,
          last: Number(c),
        }));
        return [...closed.filter(({ time }) => time < now), { time: now, last: price }].map(
          ({ time, last }) => ({ symbol, time, values: { 'price.last': last } }),
        );
      },
    },
  },
  funding: {
    interval: 5 * minute,
    validFor: 12 * hour,
    async read({ data, signal }) {
      const [{ data: rows }, hours] = await Promise.all([
        data.fundingCurrent({}, signal),
        fundingHours(data, signal),
      ]);
      return rows.map(({ symbol, ...row }) => ({ symbol, ...settlementReading(row, hours.get(symbol)) }));
    },
    history: {
      metrics: ['funding.ratePct', 'funding.annualizedPct', 'funding.perYearPct'],
      async read({ data, symbols: [symbol], hours = day, signal }) {
        const intervals = await fundingHours(data, signal);
        const interval = intervals.get(symbol ?? '');
        const within = Math.ceil(hours / (interval ?? usualInterval));
        const limit = Math.min(Math.max(within, minChartSettlements), limits.settlements);
        const { data: rows } = await data.fundingHistory({ symbol, limit }, signal);
        return rows.map((row) => settlementReading(row, interval));
      },
    },
  },
  fundingExtremes: {
    interval: 5 * minute,
    validFor: 12 * hour,
    async read({ data, symbols, now, signal }) {
      const standings = await fundingStandings(data, signal);
      if (standings !== undefined)
        return [...standings.values()].flatMap(({ symbol, zScore, timestamp }) =>
          zScore === undefined
            ? []
            : [{ symbol, time: Date.parse(timestamp), values: { 'funding.z': zScore } }],
        );
      // A hosted service lists only the symbols that stand out. Any other symbol is within ±1.5, and 0 stands for that.
      const extremes = await data.fundingExtremes({ limit: maxExtremes.requested }, signal);
      const { data: rows } = extremes;
      const listed = new Set(rows.map(({ symbol }) => symbol));
      // The last full hour: any later time would keep out a settlement of that hour, which is collected some minutes
      // after it.
      const latest = Math.floor(now / hour) * hour;
      const quiet = isTruncated(extremes) ? [] : symbols.filter((symbol) => !listed.has(symbol));
      return [
        ...rows.map(({ symbol, zScore, timestamp }) => ({
          symbol,
          time: Date.parse(timestamp),
          values: { 'funding.z': zScore },
        })),
        ...quiet.map((symbol) => ({ symbol, time: latest, values: { 'funding.z': 0 } })),
      ];
    },
  },
  regime: {
    interval: 5 * minute,
    validFor: 2 * hour,
    async read({ data, signal }) {
      const answer = await data.regimeProbabilities({}, signal);
      const { current, probabilities, volatilityRegime, crossAsset, timestamp } = answer;
      return [
        {
          time: Date.parse(timestamp),
          values: {
            'regime.state': current.state,
            'regime.riskOn': probabilities.RISK_ON,
            'regime.riskOff': probabilities.RISK_OFF,
            'regime.transition': probabilities.TRANSITION,
            'regime.confidence': current.confidence,
            'regime.score': current.score,
            'macro.vix': crossAsset.sp500?.vix,
            'volatility.percentile': volatilityRegime.percentile,
          },
        },
      ];
    },
    history: {
      metrics: ['regime.score'],
      async read({ data, hours = day, signal }) {
        const days = Math.min(Math.max(Math.ceil(hours / day), week), limits.days);
        const { data: rows } = await data.regimeHistory({ days }, signal);
        return rows
          .map(({ timestamp, score }) => ({ time: Date.parse(timestamp), values: { 'regime.score': score } }))
          .reverse();
      },
    },
  },
  liquidations: {
    interval: minute,
    validFor: 15 * minute,
    read: liquidationReadings,
  },
  quality: {
    interval: 5 * minute,
    validFor: 30 * minute,
    async read({ data, signal }) {
      const { score, timestamp } = await data.dataQuality({}, signal);
      return [{ time: Date.parse(timestamp), values: { 'quality.score': score } }];
    },
    history: {
      metrics: ['quality.score'],
      async read({ data, hours = day, signal }) {
        const { data: rows } = await data.dataQualityHistory({ hours }, signal);
        return rows.map(({ timestamp, score }) => ({
          time: Date.parse(timestamp),
          values: { 'quality.score': score },
        }));
      },
    },
  },
  macro: {
    interval: 15 * minute,
    // Markets close: the last value of a Friday is the latest until Monday, and over a holiday.
    validFor: 96 * hour,
    async read({ data, signal }) {
      const { data: rows, sp500Market } = await data.crossAssetHistory({ hours: 24 }, signal);
      return macroFieldsOf(sp500Market).flatMap(([metric, field]) => {
        const row = rows.findLast((each) => each[field] !== undefined);
        return row === undefined
          ? []
          : [{ time: Date.parse(row.timestamp), values: { [metric]: row[field] } }];
      });
    },
    history: {
      metrics: macroFields.map(([metric]) => metric),
      async read({ data, hours = day, signal }) {
        const asked = Math.max(hours, week * day);
        const { data: rows, sp500Market } = await data.crossAssetHistory({ hours: asked }, signal);
        const fields = macroFieldsOf(sp500Market);
        return rows.map((row) => ({
          time: Date.parse(row.timestamp),
          values: Object.fromEntries(fields.map(([metric, field]) => [metric, row[field]])),
        }));
      },
    },
  },
} satisfies Readonly<Record<string, Feed>>;

/** The price of an ETF's perpetual is no level of the index. */
const macroFieldsOf = (sp500Market: string | undefined) =>
  macroFields.filter(([, field]) => !(field === 'sp500' && sp500Market === 'ETF_PERPETUAL'));

/**
 * Returns the reading of a settlement.
 *
 * @param hours between two settlements; undefined: unknown
 */
function settlementReading(
  { rate, annualized, timestamp }: Record<'rate' | 'annualized' | 'timestamp', string>,
  hours: number | undefined,
): Reading {
  return {
    time: Date.parse(timestamp),
    values: {
      'funding.ratePct': Number(rate) * 100,
      'funding.annualizedPct': Number(annualized),
      'funding.perYearPct': yearlyPct(Number(rate), hours),
    },
  };
}

/** The most liquidations that the service returns. If there are more, the oldest are missing. */
const limit = 500;
/** The most requests about single symbols in a round where one answer does not hold all liquidations. */
const maxSingle = 4;

/** USD liquidated of one symbol. */
interface Liquidated {
  readonly long: number;
  readonly short: number;
}
const none: Liquidated = { long: 0, short: 0 };

/**
 * Returns what was liquidated in the last hour, at all venues that publish it. While the service says that its liquidations are stale, that is not known, and
 * nothing is returned: an hour without any would look the same. If that is more than one answer holds, the symbols with most of it are
 * asked about singly; of the others, and of those that fill an answer of their own, only a lower bound is known.
 */
async function liquidationReadings({ data, symbols, now, signal }: Question): Promise<readonly Reading[]> {
  const quality = await ifAnswered(data.dataQuality({}, signal));
  if (quality?.checks.liquidation_events?.fresh === false) return [];
  const window = { since: iso(now - hour), limit };
  const ask = async (symbol?: string) => {
    const query = symbol === undefined ? window : { ...window, symbol };
    const { data: events } = await allLiquidations(data, query, signal);
    const sums = new Map<string, Liquidated>();
    for (const { symbol, side, usd_value } of events) {
      const { long, short } = sums.get(symbol) ?? none;
      sums.set(
        symbol,
        side === 'LONG' ? { long: long + usd_value, short } : { long, short: short + usd_value },
      );
    }
    return { sumOf: (symbol: string) => sums.get(symbol) ?? none, isFull: events.length >= limit };
  };
  const all = await ask();
  const single = new Map<string, typeof all>();
  const total = (symbol: string) => all.sumOf(symbol).long + all.sumOf(symbol).short;
  const largest = all.isFull ? symbols.toSorted((a, b) => total(b) - total(a)).slice(0, maxSingle) : [];
  for (const symbol of largest) {
    const answer = await ifAnswered(ask(symbol));
    if (answer === undefined) break;
    single.set(symbol, answer);
  }
  return symbols.map((symbol) => {
    const { sumOf, isFull } = single.get(symbol) ?? all;
    const { long, short } = sumOf(symbol);
    return {
      symbol,
      time: now,
      values: { 'liquidations.longUsd1h': long, 'liquidations.shortUsd1h': short },
      ...(isFull && { atLeast: true }),
    };
  });
}
