import type { DataClient } from '../client/client.ts';
import { hour, iso, minute } from '../runtime/units.ts';
import type { MetricName } from './metrics.ts';

/** Values of one symbol, or of the whole market, at one data time (market ms). What is not supplied is left out. */
export interface Reading {
  readonly symbol?: string;
  readonly time: number;
  readonly values: { readonly [Name in MetricName]?: number | string | undefined };
}

export interface Question {
  readonly data: DataClient;
  /** Symbols somebody has rules about; a feed of single symbols is asked about one. */
  readonly symbols: readonly string[];
  readonly now: number;
  readonly signal: AbortSignal;
}

/** One question to the data service and the facts it answers. Durations are market ms. */
export interface Feed {
  /** One question for all symbols, or one for each. */
  readonly per: 'market' | 'symbol';
  /** Nothing newer is to be had sooner. */
  readonly every: number;
  /** Older values are not known any more: a few collections may fail. */
  readonly lasts: number;
  /** Throws ApiError. */
  read(question: Question): Promise<readonly Reading[]>;
}

export const feedNames = [
  'overview',
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
] as const;
export type FeedName = (typeof feedNames)[number];

const single = ({ symbols: [symbol = ''] }: Question): string => symbol;
const last = <Row>(rows: readonly Row[]): Row | undefined => rows.at(-1);
const at = (timestamp: string): number => Date.parse(timestamp);
/** The service takes at most so many, and where there are more the rest is not known. */
const most = { extremes: 100, liquidations: 500 } as const;
/** What a service gives that refuses more. */
const fewExtremes = 30;
/** Only these have options. */
const currencies: Readonly<Record<string, 'BTC' | 'ETH'>> = { BTCUSDT: 'BTC', ETHUSDT: 'ETH' };

export const feeds: Readonly<Record<FeedName, Feed>> = {
  overview: {
    per: 'market',
    every: minute,
    lasts: 15 * minute,
    async read({ data, signal }) {
      const { coins, fearGreed, timestamp } = await data.marketOverview({}, signal);
      const time = at(timestamp);
      return [
        { time, values: { 'fearGreed.value': fearGreed } },
        ...coins.map(({ symbol, price, signal: strength, master }) => ({
          symbol,
          time,
          values: { 'price.last': price, 'signal.strength': strength, 'signal.master': master },
        })),
      ];
    },
  },
  funding: {
    per: 'market',
    every: 5 * minute,
    lasts: 12 * hour,
    async read({ data, signal }) {
      const rows = (await data.fundingCurrent({}, signal)).data;
      return rows.map(({ symbol, rate, annualized, timestamp }) => ({
        symbol,
        time: at(timestamp),
        values: { 'funding.ratePct': Number(rate) * 100, 'funding.annualizedPct': Number(annualized) },
      }));
    },
  },
  fundingExtremes: {
    per: 'market',
    every: 5 * minute,
    lasts: 12 * hour,
    async read({ data, symbols, now, signal }) {
      const { data: rows, count } = await data.fundingExtremes({ limit: most.extremes }, signal);
      const there = new Set(rows.map(({ symbol }) => symbol));
      const cut = rows.length >= most.extremes || rows.length === fewExtremes || count > rows.length;
      const quiet = cut ? [] : symbols.filter((symbol) => !there.has(symbol));
      return [
        ...rows.map(({ symbol, zScore, timestamp }) => ({
          symbol,
          time: at(timestamp),
          values: { 'funding.z': zScore },
        })),
        ...quiet.map((symbol) => ({ symbol, time: now, values: { 'funding.z': 0 } })),
      ];
    },
  },
  regime: {
    per: 'market',
    every: 5 * minute,
    lasts: 2 * hour,
    async read({ data, signal }) {
      const { current, probabilities, volatilityRegime, timestamp } = await data.regimeProbabilities(
        {},
        signal,
      );
      return [
        {
          time: at(timestamp),
          values: {
            'regime.state': current.state,
            'regime.riskOn': probabilities.RISK_ON,
            'regime.riskOff': probabilities.RISK_OFF,
            'regime.score': current.score,
            'volatility.percentile': volatilityRegime.percentile,
          },
        },
      ];
    },
  },
  liquidations: {
    per: 'market',
    every: minute,
    lasts: 15 * minute,
    async read({ data, symbols, now, signal }) {
      const since = iso(now - hour);
      const { data: events } = await data.liquidations({ since, limit: most.liquidations }, signal);
      const sums = new Map(symbols.map((symbol) => [symbol, { long: 0, short: 0 }]));
      for (const { symbol, side, usd_value } of events) {
        const sum = sums.get(symbol);
        if (sum === undefined) continue;
        if (side === 'LONG') sum.long += usd_value;
        if (side === 'SHORT') sum.short += usd_value;
      }
      return [...sums].map(([symbol, { long, short }]) => ({
        symbol,
        time: now,
        values: { 'liquidations.longUsd1h': long, 'liquidations.shortUsd1h': short },
      }));
    },
  },
  quality: {
    per: 'market',
    every: 5 * minute,
    lasts: 30 * minute,
    async read({ data, signal }) {
      const { score, timestamp } = await data.dataQuality({}, signal);
      return [{ time: at(timestamp), values: { 'quality.score': score } }];
    },
  },
  macro: {
    per: 'market',
    every: 15 * minute,
    // Markets close: the last value of a Friday stands until Monday, and over a holiday.
    lasts: 96 * hour,
    async read({ data, signal }) {
      const { data: rows } = await data.crossAssetHistory({ hours: 24 }, signal);
      return (['sp500', 'gold', 'dxy'] as const).flatMap((name) => {
        const row = rows.findLast((each) => each[name] !== undefined);
        return row === undefined
          ? []
          : [{ time: at(row.timestamp), values: { [`macro.${name}`]: row[name] } }];
      });
    },
  },
  coin: {
    per: 'symbol',
    every: 5 * minute,
    lasts: 30 * minute,
    async read(question) {
      const symbol = single(question);
      const { now } = question;
      const { price, candles24h, oiHistory } = await question.data.intelligence({ symbol }, question.signal);
      const first = candles24h[0];
      const day = first !== undefined && now - at(first.open_time) > 22 * hour ? Number(first.c) : 0;
      const snapshot = last(oiHistory);
      return [
        {
          symbol,
          time: now,
          values: { 'price.change24hPct': day > 0 ? (price / day - 1) * 100 : undefined },
        },
        ...(snapshot === undefined
          ? []
          : [
              {
                symbol,
                time: at(snapshot.timestamp),
                values: { 'oi.valueUsd': Number(snapshot.oi_value_usd) },
              },
            ]),
      ];
    },
  },
  openInterest: {
    per: 'symbol',
    every: 5 * minute,
    lasts: 20 * minute,
    async read(question) {
      const symbol = single(question);
      const { data: rows, current } = await question.data.oiMomentum({ symbol }, question.signal);
      if (current === undefined) return [];
      const time = at(current.timestamp);
      const before = rows.findLast(({ timestamp }) => at(timestamp) <= time - hour);
      return [
        {
          symbol,
          time,
          values: {
            'oi.ratePct': current.ratePct,
            'oi.accelerationPct': current.accelerationPct,
            'oi.change1hPct':
              before === undefined || before.oi <= 0 ? undefined : (current.oi / before.oi - 1) * 100,
          },
        },
      ];
    },
  },
  basis: {
    per: 'symbol',
    every: 5 * minute,
    lasts: 20 * minute,
    async read(question) {
      const symbol = single(question);
      const { current } = await question.data.basis({ symbol, hours: 1 }, question.signal);
      if (current === undefined) return [];
      return [{ symbol, time: at(current.timestamp), values: { 'basis.pct': current.basisPct } }];
    },
  },
  volume: {
    per: 'symbol',
    every: 30 * minute,
    lasts: 3 * hour,
    async read(question) {
      const symbol = single(question);
      const { data: rows, totalCvd } = await question.data.volumeCvd({ symbol }, question.signal);
      const row = last(rows);
      if (row === undefined) return [];
      const values = { 'cvd.total24h': totalCvd, 'cvd.buyPct': row.buyRatio };
      return [{ symbol, time: at(row.timestamp), values }];
    },
  },
  ratio: {
    per: 'symbol',
    every: 15 * minute,
    lasts: hour,
    async read(question) {
      const symbol = single(question);
      const row = last((await question.data.lsRatioHistory({ symbol, hours: 1 }, question.signal)).data);
      if (row === undefined) return [];
      return [{ symbol, time: at(row.timestamp), values: { 'ratio.longPct': row.longRatio * 100 } }];
    },
  },
  spread: {
    per: 'symbol',
    every: 5 * minute,
    lasts: 20 * minute,
    async read(question) {
      const symbol = single(question);
      const { current } = await question.data.spread({ symbol, hours: 1 }, question.signal);
      if (current === undefined) return [];
      const values = { 'spread.pct': current.spreadPct, 'spread.imbalance': current.imbalance };
      return [{ symbol, time: at(current.timestamp), values }];
    },
  },
  options: {
    per: 'symbol',
    every: 15 * minute,
    lasts: hour,
    async read(question) {
      const symbol = single(question);
      const currency = currencies[symbol];
      if (currency === undefined) return [];
      const { current } = await question.data.optionsSummary({ currency, hours: 1 }, question.signal);
      if (current === undefined) return [];
      return [
        {
          symbol,
          time: at(current.timestamp),
          values: {
            'options.putCallRatio': current.putCallRatio,
            'options.maxPain': current.maxPain,
            'options.avgIvPct': current.avgIV,
          },
        },
      ];
    },
  },
};
