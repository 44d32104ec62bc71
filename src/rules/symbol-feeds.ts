import { hour, minute } from '../runtime/units.ts';
import type { Feed, Question } from './feed.ts';

const single = ({ symbols: [symbol = ''] }: Question): string => symbol;
const at = (timestamp: string): number => Date.parse(timestamp);
/** Only these have options. */
const currencies: Readonly<Record<string, 'BTC' | 'ETH'>> = { BTCUSDT: 'BTC', ETHUSDT: 'ETH' };

/** One question for each symbol: there is no other way to ask. */
export const symbolFeeds = {
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
      const snapshot = oiHistory.at(-1);
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
      const row = rows.at(-1);
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
      const { data: rows } = await question.data.lsRatioHistory({ symbol, hours: 1 }, question.signal);
      const row = rows.at(-1);
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
} satisfies Readonly<Record<string, Feed>>;
