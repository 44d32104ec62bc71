import { z } from 'zod';
import { hour, minute, second } from '#src/runtime/units.ts';
import { imitateVenue } from '#src/service/simulation/imitated-venue.ts';
import type { Instrument, Market } from '#src/service/simulation/market.ts';
import { lastDays, newestCandles } from '../klines.ts';
import { newestPeriodTimes } from '../paging.ts';
import {
  createRequestCounter,
  defineRoute,
  jsonAnswer,
  oneOf,
  type Routes,
  reply,
  type SimulatedRestOptions,
  type SimulatedVenueAnswers,
} from '../route.ts';
import { contractsOf, nameOf, untradedInstruments } from './contracts.ts';

/** The limit of requests per IP address. */
const limit = { most: 600, per: 5 * second };
/** The venue's share of the simulated market's open interest and volume. */
const share = 0.5;

const linear = { category: z.literal('linear') };
const instant = z.coerce.number().int().min(0);
const rows = (usual: number, most: number) => z.coerce.number().int().min(1).max(most).default(usual);
const intervals = {
  '1': '1m',
  '5': '5m',
  '15': '15m',
  '30': '30m',
  '60': '1h',
  '240': '4h',
  D: '1d',
} as const;
const periods = { '5min': 5 * minute, '15min': 15 * minute, '1h': hour } as const;

const envelope = (result: unknown, now: number) => ({
  retCode: 0,
  retMsg: 'OK',
  result,
  retExtInfo: {},
  time: now,
});

/** Simulates Bybit's public REST API for linear contracts: errors are HTTP 200 with a code, lists come newest first. */
export function bybitAnswers({ market, wall, limited }: SimulatedRestOptions): SimulatedVenueAnswers {
  const routes: Routes = { ...presentRoutes(market), ...pastRoutes(market) };
  const spend = createRequestCounter(wall, limit);

  return ({ path, parameters }, now) => {
    if (!spend() && limited) return jsonAnswer(403, { retMsg: 'access too frequent' });
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) return jsonAnswer(404, {});
    const errorBody = (parameter: string) => ({
      ...envelope({}, now),
      retCode: 10_001,
      retMsg: `params error: ${parameter} invalid`,
    });
    const { status, body } = reply(route, { parameters, now, errorBody });
    return jsonAnswer(200, status === 200 ? envelope(body, now) : body);
  };
}

const contractIn = (market: Market) => oneOf(contractsOf(market), 'symbol invalid');

function presentRoutes(market: Market): Routes {
  const contract = contractIn(market);
  const lastDay = lastDays(market);
  const imitated = imitateVenue(market, 'bybit');
  return {
    '/v5/market/time': defineRoute(z.object({ category: z.string().optional() }), {
      answer: (_, now) => ({
        timeSecond: String(Math.floor(now / second)),
        timeNano: `${Math.floor(now)}000000`,
      }),
    }),
    '/v5/market/instruments-info': defineRoute(
      z.object({ ...linear, limit: rows(500, 1_000), cursor: z.coerce.number().int().default(0) }),
      {
        answer({ limit, cursor }) {
          const all = [...market.instruments.map(listing), ...untradedInstruments.map(ignoredListing)];
          const next = cursor + limit;
          return {
            category: 'linear',
            list: all.slice(cursor, next),
            nextPageCursor: next < all.length ? String(next) : '',
          };
        },
      },
    ),
    '/v5/market/risk-limit': defineRoute(
      z.object({ ...linear, symbol: contract, cursor: z.string().optional() }),
      {
        answer: ({ symbol }) => ({
          category: 'linear',
          list: riskLimits.map(([riskLimitValue, maintenanceMargin, initialMargin, maxLeverage], index) => ({
            id: index + 1,
            symbol: nameOf(symbol),
            riskLimitValue,
            maintenanceMargin,
            initialMargin,
            isLowestRisk: index === 0 ? 1 : 0,
            maxLeverage,
            mmDeduction: ['', '510', '1710'][index],
          })),
          nextPageCursor: '',
        }),
      },
    ),
    '/v5/market/tickers': defineRoute(z.object({ ...linear, symbol: contract.optional() }), {
      answer({ symbol }, now) {
        const wanted = symbol === undefined ? market.instruments : [symbol];
        const list = wanted.map((instrument) =>
          ticker(market, { imitated, instrument, now, turnover: lastDay(instrument, now).turnover }),
        );
        const others = untradedInstruments.map(({ symbol: name }) => ({
          ...list[0],
          symbol: name,
          turnover24h: '0',
          ...(name.includes('-') && { fundingRate: '', nextFundingTime: '0', fundingIntervalHour: '' }),
        }));
        return { category: 'linear', list: symbol === undefined ? [...list, ...others] : list };
      },
    }),
  };
}

/** The first tiers of BTCUSDT in 2026, for every market: a limit, the maintenance and the initial margin, the leverage. */
const riskLimits = [
  ['300000', '0.0033', '0.0066', '150.00'],
  ['2000000', '0.005', '0.01', '100.00'],
  ['2600000', '0.0056', '0.0111', '90.00'],
] as const;

const listing = (instrument: Omit<Instrument, 'rank'>) => ({
  symbol: nameOf(instrument),
  contractType: 'LinearPerpetual',
  status: 'Trading',
  baseCoin: instrument.base,
  quoteCoin: 'USDT',
  settleCoin: 'USDT',
  launchTime: '1585526400000',
  deliveryTime: '0',
  fundingInterval: instrument.fundingHours * 60,
  isPreListing: false,
  symbolType: '',
});
const ignoredListing = (given: (typeof untradedInstruments)[number]) => ({
  ...listing({ symbol: 'BTCUSDT', base: 'BTC', priceDecimals: 1, quantityDecimals: 3, fundingHours: 8 }),
  ...given,
});

function ticker(
  market: Market,
  {
    imitated,
    instrument,
    now,
    turnover,
  }: {
    readonly imitated: ReturnType<typeof imitateVenue>;
    readonly instrument: Instrument;
    readonly now: number;
    readonly turnover: number;
  },
) {
  const { symbol, priceDecimals, quantityDecimals, fundingHours } = instrument;
  const { markPrice, indexPrice, estFunding } = imitated.mark(instrument, now);
  const { bidPrice, bidQuantity, askPrice, askQuantity } = market.topOfBook(symbol, now);
  const single = imitated.interest(instrument, now).contracts;
  const settles = fundingHours * hour;
  return {
    symbol: nameOf(instrument),
    markPrice: markPrice.toFixed(priceDecimals),
    indexPrice: indexPrice.toFixed(priceDecimals),
    lastPrice: ((bidPrice + askPrice) / 2).toFixed(priceDecimals),
    openInterest: (2 * single).toFixed(8),
    openInterestValue: (2 * single * markPrice).toFixed(2),
    singleOpenInterest: single.toFixed(quantityDecimals),
    turnover24h: (turnover * share).toFixed(4),
    fundingRate: estFunding.toFixed(8),
    nextFundingTime: String((Math.floor(now / settles) + 1) * settles),
    fundingIntervalHour: String(fundingHours),
    bid1Price: bidPrice.toFixed(priceDecimals),
    bid1Size: bidQuantity.toFixed(quantityDecimals),
    ask1Price: askPrice.toFixed(priceDecimals),
    ask1Size: askQuantity.toFixed(quantityDecimals),
  };
}

function pastRoutes(market: Market): Routes {
  const contract = contractIn(market);
  const imitated = imitateVenue(market, 'bybit');
  const { earliest } = market;
  const page = { symbol: contract, startTime: instant.optional(), endTime: instant.optional() };
  const moments = (
    span: { readonly from?: number | undefined; readonly to?: number | undefined; readonly limit: number },
    given: { readonly period: number; readonly now: number },
  ) => newestPeriodTimes(span, { ...given, earliest });
  const klinePage = {
    ...linear,
    symbol: contract,
    start: instant.optional(),
    end: instant.optional(),
    limit: rows(200, 1_000),
  };
  const priceKlines = (of: 'markPrice' | 'indexPrice') =>
    defineRoute(z.object({ ...klinePage, interval: z.literal('5') }), {
      answer: ({ symbol, start: from, end: to, limit }, now) => ({
        category: 'linear',
        symbol: nameOf(symbol),
        list: moments({ from, to, limit }, { period: 5 * minute, now }).map((time) => {
          const [open, close] = [time, Math.min(now, time + 5 * minute)].map((at) =>
            market.mark(symbol.symbol, at)[of].toFixed(8),
          );
          return [String(time), open, open, close, close];
        }),
      }),
    });

  return {
    '/v5/market/mark-price-kline': priceKlines('markPrice'),
    '/v5/market/index-price-kline': priceKlines('indexPrice'),
    '/v5/market/kline': defineRoute(
      z.object({ ...klinePage, interval: z.enum(['1', '5', '15', '30', '60', '240', 'D']) }),
      {
        answer({ symbol, interval, start: from, end: to, limit }, now) {
          const price = (value: number) => value.toFixed(symbol.priceDecimals);
          const own = intervals[interval];
          const candles = newestCandles(market, { symbol, interval: own, from, to, limit, now });
          const list = candles.map((row) => [
            String(row.time),
            price(row.open),
            price(row.high),
            price(row.low),
            price(row.close),
            (row.volume * share).toFixed(8),
            (row.quoteVolume * share).toFixed(8),
          ]);
          return { category: 'linear', symbol: nameOf(symbol), list };
        },
      },
    ),
    '/v5/market/funding/history': defineRoute(
      z
        .object({ ...linear, ...page, limit: rows(200, 200) })
        .refine(({ startTime, endTime }) => startTime === undefined || endTime !== undefined, {
          path: ['endTime'],
        }),
      {
        answer({ symbol, startTime, endTime = Number.POSITIVE_INFINITY, limit }, now) {
          const to = Math.min(endTime, now);
          const from = startTime ?? to - limit * symbol.fundingHours * hour;
          const settled = market.settlements(symbol.symbol, { from, to });
          const list = settled.slice(-limit).map(({ time, rate }) => ({
            symbol: nameOf(symbol),
            fundingRate: rate.toFixed(8),
            fundingRateTimestamp: String(time),
          }));
          return { category: 'linear', list: list.reverse() };
        },
      },
    ),
    '/v5/market/open-interest': defineRoute(
      z.object({ ...linear, ...page, intervalTime: z.enum(['5min', '15min', '1h']), limit: rows(50, 200) }),
      {
        answer: ({ symbol, startTime: from, endTime: to, intervalTime, limit }, now) => ({
          category: 'linear',
          symbol: nameOf(symbol),
          list: moments({ from, to, limit }, { period: periods[intervalTime], now }).map((time) => {
            const single = imitated.interest(symbol, time).contracts;
            return {
              openInterest: (2 * single).toFixed(8),
              singleOpenInterest: String(single),
              timestamp: String(time),
            };
          }),
          nextPageCursor: '',
        }),
      },
    ),
    '/v5/market/account-ratio': defineRoute(
      z.object({ ...linear, ...page, period: z.enum(['5min', '15min', '1h']), limit: rows(50, 500) }),
      {
        answer: ({ symbol, startTime: from, endTime: to, period, limit }, now) => ({
          list: moments({ from, to, limit }, { period: periods[period], now }).map((time) => {
            const { global } = market.ratios(symbol.symbol, time);
            return {
              symbol: nameOf(symbol),
              buyRatio: global.toFixed(4),
              sellRatio: (1 - global).toFixed(4),
              timestamp: String(time),
            };
          }),
          nextPageCursor: '',
        }),
      },
    ),
  };
}
