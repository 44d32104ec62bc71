import { z } from 'zod';
import { type CandleInterval, candleLengths } from '#src/contract/candle-interval.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { imitateVenue } from '#src/service/simulation/imitated-venue.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { lastDays, newestCandles } from '../klines.ts';
import { newestPeriodTimes } from '../paging.ts';
import {
  createRequestCounter,
  defineRoute,
  jsonAnswer,
  oneOf,
  type Route,
  reply,
  type SimulatedRestOptions,
  type SimulatedVenueAnswers,
} from '../route.ts';
import { instruments, type Swap, share, swapsOf, untradedInstruments } from './swaps.ts';

const bars = ['1m', '5m', '15m', '30m', '1H', '4H', '1Dutc'] as const;
const intervalOf = (bar: (typeof bars)[number]) => bar.replace('utc', '').toLowerCase() as CandleInterval;
/** How many rows recent candles, price candles and statistics reach back. */
const maxRows = 1_440;
/** How long after its nominal time a settlement is `processing`, market ms. Until then there is no row of it. */
const settlingTime = minute;
const periods = { '5m': 5 * minute, '15m': 15 * minute, '1H': hour } as const;

const instant = z.coerce.number().int().min(0);
const limitField = (rows: number) => z.coerce.number().int().min(1).max(rows).default(100);
const swap = z.object({ instType: z.literal('SWAP') });

/** Converts the ends of a page, which OKX excludes, to ends that are included. */
const includedEnds = ({
  newer,
  older,
}: {
  readonly newer?: number | undefined;
  readonly older?: number | undefined;
}) => ({
  ...(newer !== undefined && { from: newer + 1 }),
  ...(older !== undefined && { to: older - 1 }),
});

/** Simulates OKX's public REST API for perpetuals: errors are codes in the response's envelope, lists come newest first. */
export function okxAnswers({ market, wall, limited }: SimulatedRestOptions): SimulatedVenueAnswers {
  const swaps = swapsOf(market);
  const limits = { ...presentRoutes(market, swaps), ...pastRoutes(market, swaps) };
  const routes = new Map(
    Object.entries(limits).map(([path, { limit, route }]): [string, Counted] => [
      `/api/v5/${path}`,
      { route, spend: createRequestCounter(wall, { most: limit, per: 2 * second }) },
    ]),
  );

  return ({ path, parameters }, now) => {
    const found = routes.get(path);
    if (found === undefined) return jsonAnswer(404, { code: 404, data: {}, msg: 'Not Found' });
    if (!found.spend() && limited) return jsonAnswer(429, { msg: 'Too Many Requests', code: '50011' });
    const errorBody = (parameter: string, given: string | undefined) => {
      if (given === undefined) return { code: '50014', data: [], msg: `${parameter} cannot be empty` };
      if (parameter === 'instId') return { code: '51001', data: [], msg: "Instrument ID doesn't exist." };
      return { code: '51000', data: [], msg: `Parameter ${parameter} error` };
    };
    const { status, body } = reply(found.route, { parameters, now, errorBody });
    if (status === 200) return jsonAnswer(200, { code: '0', data: body, msg: '' });
    return jsonAnswer((body as { code: string }).code === '50014' ? 400 : 200, body);
  };
}

/** For every market: the fewest and most contracts, the maintenance and the initial margin, the leverage. */
const positionTiers = [
  ['0', '2000', '0.01', '0.013', '75'],
  ['2001', '4000', '0.015', '0.02', '50'],
  ['4001', '8000', '0.02', '0.05', '20'],
] as const;

interface Limited {
  /** Requests allowed in 2 s. */
  readonly limit: number;
  readonly route: Route;
}
interface Counted {
  readonly route: Route;
  readonly spend: () => boolean;
}
type Swaps = ReadonlyMap<string, Swap>;

const price = (value: number, { instrument, coins }: Swap): string =>
  (value / coins).toFixed(instrument.priceDecimals + Math.log10(coins));

function presentRoutes(market: Market, swaps: Swaps): Readonly<Record<string, Limited>> {
  const lastDay = lastDays(market);
  const imitated = imitateVenue(market, 'okx');
  const each = <Row>(row: (swap: Swap) => Row) => [...swaps.values()].map(row);
  const ticker = (swap: Swap, now: number) => {
    const { name, instrument, coins, contract } = swap;
    const { bidPrice, bidQuantity, askPrice, askQuantity } = market.topOfBook(instrument.symbol, now);
    const size = (quantity: number) => String(Math.max(1, Math.round((quantity * coins) / contract)));
    return {
      instType: 'SWAP',
      instId: name,
      last: price((bidPrice + askPrice) / 2, swap),
      bidPx: price(bidPrice, swap),
      bidSz: size(bidQuantity),
      askPx: price(askPrice, swap),
      askSz: size(askQuantity),
      volCcy24h: String(lastDay(instrument, now).volume * share * coins),
      ts: String(now),
    };
  };
  const interest = ({ name, instrument, coins, contract }: Swap, now: number) => {
    const { contracts, valueUsd } = imitated.interest(instrument, now);
    return {
      instType: 'SWAP',
      instId: name,
      oi: String((contracts * coins) / contract),
      oiCcy: String(contracts * coins),
      oiUsd: String(valueUsd),
      ts: String(now),
    };
  };
  const rate = ({ name, instrument }: Swap, now: number) => {
    const { symbol, fundingHours } = instrument;
    const settles = fundingHours * hour;
    const before = Math.floor(now / settles) * settles;
    const [settlement] = market.settlements(symbol, { from: before, to: before });
    const isSettled = settlement !== undefined && now - before >= settlingTime;
    return {
      instType: 'SWAP',
      instId: name,
      method: 'current_period',
      fundingRate: imitated.mark(instrument, now).estFunding.toFixed(16),
      fundingTime: String(before + settles),
      nextFundingTime: String(before + 2 * settles),
      prevFundingTime: String(before),
      settState: isSettled ? 'settled' : 'processing',
      settFundingRate: settlement === undefined ? '' : settlement.rate.toFixed(16),
      ts: String(now),
    };
  };
  return {
    'public/time': {
      limit: 10,
      route: defineRoute(z.object({}), { answer: (_, now) => [{ ts: String(now) }] }),
    },
    'public/position-tiers': {
      limit: 10,
      route: defineRoute(
        swap.extend({
          tdMode: z.enum(['cross', 'isolated']),
          instFamily: oneOf(new Map([...swaps].map(([name]) => [name.replace(/-SWAP$/, ''), name]))),
        }),
        {
          answer: ({ instFamily }) =>
            positionTiers.map(([minSz, maxSz, mmr, imr, maxLever], index) => ({
              uly: instFamily.replace(/-SWAP$/, ''),
              instFamily: instFamily.replace(/-SWAP$/, ''),
              instId: '',
              tier: String(index + 1),
              ...{ minSz, maxSz, mmr, imr, maxLever },
              optMgnFactor: '0',
              quoteMaxLoan: '',
              baseMaxLoan: '',
            })),
        },
      ),
    },
    'public/instruments': {
      limit: 20,
      route: defineRoute(swap, { answer: () => instruments(swaps.values()) }),
    },
    'public/mark-price': {
      limit: 10,
      route: defineRoute(swap, {
        answer: (_, now) =>
          each((swap) => ({
            instType: 'SWAP',
            instId: swap.name,
            markPx: price(market.mark(swap.instrument.symbol, now).markPrice, swap),
            ts: String(now),
          })),
      }),
    },
    'public/funding-rate': {
      limit: 10,
      route: defineRoute(z.object({ instId: z.literal('ANY') }), {
        answer: (_, now) => [
          ...each((swap) => rate(swap, now)),
          ...untradedInstruments.map((each) => ({
            instId: each.instId,
            fundingRate: 'ctType' in each || 'ruleType' in each ? '' : '0.0001',
            fundingTime: String(Math.ceil(now / (8 * hour)) * 8 * hour),
            nextFundingTime: String(Math.ceil(now / (8 * hour)) * 8 * hour + 8 * hour),
            settState: 'settled',
          })),
        ],
      }),
    },
    'public/open-interest': {
      limit: 20,
      route: defineRoute(swap, { answer: (_, now) => each((swap) => interest(swap, now)) }),
    },
    'market/tickers': {
      limit: 20,
      route: defineRoute(swap, { answer: (_, now) => each((swap) => ticker(swap, now)) }),
    },
    'market/index-tickers': {
      limit: 20,
      route: defineRoute(z.object({ quoteCcy: z.enum(['USDT', 'USDC']) }), {
        answer: ({ quoteCcy }, now) =>
          each((swap) => ({
            instId: swap.name.replace(/USDT-SWAP$/, quoteCcy),
            idxPx: price(market.mark(swap.instrument.symbol, now).indexPrice, swap),
            ts: String(now),
          })),
      }),
    },
  };
}

function pastRoutes(market: Market, swaps: Swaps): Readonly<Record<string, Limited>> {
  const instId = oneOf(swaps);
  const imitated = imitateVenue(market, 'okx');
  const { earliest } = market;
  const byStamp = { before: instant.optional(), after: instant.optional() };

  const candles = ({ limit, recent }: { readonly limit: number; readonly recent: boolean }): Limited => ({
    limit,
    route: defineRoute(z.object({ instId, bar: z.enum(bars), ...byStamp, limit: limitField(300) }), {
      answer({ instId: swap, bar, before, after, limit }, now) {
        const interval = intervalOf(bar);
        const step = candleLengths[interval];
        const span = includedEnds({ newer: before, older: after });
        const from = Math.max(span.from ?? 0, recent ? (Math.floor(now / step) - maxRows + 1) * step : 0);
        const given = { symbol: swap.instrument, interval, ...span, from, limit, now } as const;
        return newestCandles(market, given).map((row) => [
          String(row.time),
          ...[row.open, row.high, row.low, row.close].map((value) => price(value, swap)),
          String((row.volume * share * swap.coins) / swap.contract),
          String(row.volume * share * swap.coins),
          String(row.quoteVolume * share),
          row.time + step <= now ? '1' : '0',
        ]);
      },
    }),
  });

  const priceCandles = (of: 'markPrice' | 'indexPrice'): Limited => {
    const named =
      of === 'markPrice'
        ? swaps
        : new Map([...swaps].map(([name, swap]) => [name.replace(/-SWAP$/, ''), swap]));
    return {
      limit: 20,
      route: defineRoute(
        z.object({ instId: oneOf(named), bar: z.literal('5m'), ...byStamp, limit: limitField(100) }),
        {
          answer({ instId: swap, before, after, limit }, now) {
            const span = { ...includedEnds({ newer: before, older: after }), limit };
            const first = Math.max(earliest, now - maxRows * 5 * minute);
            return newestPeriodTimes(span, { period: 5 * minute, earliest: first, now }).map((time) => {
              const end = Math.min(now, time + 5 * minute);
              const [open = '', close = ''] = [time, end].map((at) =>
                price(market.mark(swap.instrument.symbol, at)[of], swap),
              );
              return [String(time), open, open, close, close, end < now ? '1' : '0'];
            });
          },
        },
      ),
    };
  };

  /** Defines a path of statistics. A row has the values at the end of its span, or the present ones while the span runs. */
  const statistics = (
    limit: number,
    row: (given: { readonly swap: Swap; readonly at: number }) => readonly string[],
  ): Limited => ({
    limit,
    route: defineRoute(
      z.object({
        instId,
        period: z.enum(['5m', '15m', '1H']).transform((name) => periods[name]),
        begin: instant.optional(),
        end: instant.optional(),
        limit: limitField(100),
      }),
      {
        answer({ instId: swap, period, begin, end, limit }, now) {
          const span = { ...includedEnds({ newer: begin, older: end }), limit };
          const first = Math.max(earliest, now - maxRows * period);
          return newestPeriodTimes(span, { period, earliest: first, now }).map((time) => [
            String(time),
            ...row({ swap, at: Math.min(now, time + period) }),
          ]);
        },
      },
    ),
  });
  const ratio = (of: 'top' | 'global') =>
    statistics(5, ({ swap, at }) => {
      const long = market.ratios(swap.instrument.symbol, at)[of];
      return [(long / (1 - long)).toFixed(4)];
    });

  return {
    'market/candles': candles({ limit: 40, recent: true }),
    'market/history-candles': candles({ limit: 20, recent: false }),
    'market/mark-price-candles': priceCandles('markPrice'),
    'market/index-candles': priceCandles('indexPrice'),
    'public/funding-rate-history': {
      limit: 10,
      route: defineRoute(z.object({ instId, ...byStamp, limit: limitField(100) }), {
        answer({ instId: { name, instrument }, before, after, limit }, now) {
          const { from = 0, to = now } = includedEnds({ newer: before, older: after });
          const reach = { from: Math.max(from, now - 92 * 24 * hour), to: Math.min(to, now - settlingTime) };
          const settled = market.settlements(instrument.symbol, reach).slice(-limit).reverse();
          return settled.map(({ time, rate }) => ({
            instType: 'SWAP',
            instId: name,
            fundingRate: rate.toFixed(16),
            realizedRate: rate.toFixed(16),
            fundingTime: String(time),
          }));
        },
      }),
    },
    'rubik/stat/contracts/open-interest-history': statistics(10, ({ swap, at }) => {
      const { contracts, valueUsd } = imitated.interest(swap.instrument, at);
      const coins = contracts * swap.coins;
      return [coins / swap.contract, coins, valueUsd].map(String);
    }),
    'rubik/stat/contracts/long-short-account-ratio-contract': ratio('global'),
    'rubik/stat/contracts/long-short-position-ratio-contract-top-trader': ratio('top'),
  };
}
