import { describe, expect, it } from 'vitest';
import { chain } from '#src/service/exchanges/deribit.ts';
import { observations } from '#src/service/exchanges/fred.ts';
import { fearGreedIndex, stablecoinChart } from '#src/service/exchanges/sentiment.ts';
import { parseForceOrders } from '#src/service/venues/binance/messages.ts';
import * as binance from '#src/service/venues/binance/payloads.ts';
import { recorded } from '../../fixtures/upstream-payloads.ts';

type Name = keyof typeof recorded;
const json = (name: Name): unknown => JSON.parse(recorded[name].body);
const tracked = (...symbols: string[]) => new Set(symbols);

/** The sources are stored with the payloads. */
const cases: [Name, () => unknown, unknown][] = [
  ['time', () => binance.serverTime.parse(json('time')), 1_499_827_319_559],
  [
    'fundingInfo',
    () => binance.intervals.parse(json('fundingInfo')).rows,
    [
      { symbol: 'BLZUSDT', hours: 4 },
      { symbol: 'GTCUSDT', hours: 8 },
    ],
  ],
  [
    'premiumIndex',
    () => binance.marks(tracked('UXLINKUSDT', 'WAXPUSDT'), 1).parse(json('premiumIndex')).rows,
    [
      { symbol: 'UXLINKUSDT', time: 1, markPrice: 0.5563, indexPrice: 0.55594286, estFunding: 0.00005 },
      { symbol: 'WAXPUSDT', time: 1, markPrice: 0.05199394, indexPrice: 0.05200571, estFunding: -0.00003174 },
    ],
  ],
  [
    'fundingRate',
    () => binance.settlements.parse(json('fundingRate')).rows,
    [{ symbol: 'BTCUSDT', time: 1_570_608_000_000, rate: -0.0375 }],
  ],
  ['openInterest', () => binance.openInterest.parse(json('openInterest')), 10_659.509],
  [
    'openInterestHist',
    () => binance.openInterests.parse(json('openInterestHist')).rows,
    [
      {
        symbol: 'BTCUSDT',
        time: 1_591_261_042_378,
        contracts: 20_403.12345678,
        valueUsd: 176_196_512.12345678,
      },
    ],
  ],
  [
    'topLongShortPositionRatio',
    () => binance.ratios.parse(json('topLongShortPositionRatio')).rows,
    [{ symbol: 'BTCUSDT', time: 1_591_261_042_378, longRatio: 0.5344 / (0.5344 + 0.4238) }],
  ],
  [
    'globalLongShortAccountRatio',
    () => binance.ratios.parse(json('globalLongShortAccountRatio')).rows.map(({ time }) => time),
    [1_583_139_600_000, 1_583_139_900_000],
  ],
  [
    'klines',
    () => binance.klines('BNBBTC').parse(json('klines')).rows,
    [
      {
        symbol: 'BNBBTC',
        time: 1_499_040_000_000,
        open: 0.0163479,
        high: 0.8,
        low: 0.015758,
        close: 0.015771,
        volume: 148_976.11427815,
        takerBuy: 1_756.87402397,
        quoteVolume: 2_434.19055334,
      },
    ],
  ],
  [
    'markPriceKlines',
    () => binance.closes.parse(json('markPriceKlines')).rows,
    [{ time: 1_591_256_460_000, close: 9_653.07367333 }],
  ],
  [
    'indexPriceKlines',
    () => binance.closes.parse(json('indexPriceKlines')).rows,
    [{ time: 1_591_256_400_000, close: 9_651.552 }],
  ],
  [
    'exchangeInfo',
    () => binance.listings.parse(json('exchangeInfo')).rows,
    [
      { symbol: 'BLZUSDT', listed: 1_598_252_400_000 },
      { symbol: 'BTCDOMUSDT', kind: 'INDEX', listed: 1_624_608_000_000 },
      { symbol: 'OPENAIUSDT', kind: 'PREMARKET', listed: 1_598_252_400_000 },
    ],
  ],
  ['ticker24hr', () => binance.tickers.parse(json('ticker24hr')).rows[0]?.volume, 15.3],
  [
    'bookTicker',
    () => binance.tops(tracked('BTCUSDT')).parse(json('bookTicker')).rows,
    [{ symbol: 'BTCUSDT', bidPrice: 4, askPrice: 4.000002, imbalance: (431 - 9) / (431 + 9) }],
  ],
  [
    'forceOrder',
    () => parseForceOrders(recorded.forceOrder.body),
    [{ symbol: 'BTCUSDT', time: 1_568_014_460_893, side: 'LONG', price: 9_910, quantity: 0.014 }],
  ],
  [
    'forceOrder2026',
    () => parseForceOrders(recorded.forceOrder2026.body),
    [{ symbol: 'ILVUSDT', time: 1_791_417_600_000, side: 'LONG', price: 3.85642, quantity: 116.5 }],
  ],
  [
    'bookSummary',
    () => chain.parse(json('bookSummary')),
    [
      {
        expiry: Date.UTC(2024, 4, 31, 8),
        strike: 59_000,
        kind: 'P',
        openInterest: 569.7,
        impliedVolatility: undefined,
      },
    ],
  ],
  ['fearGreed', () => fearGreedIndex.parse(json('fearGreed')).map(({ value }) => value), [47, 40]],
  [
    'stablecoins',
    () => stablecoinChart.parse(json('stablecoins')).rows.map(({ value }) => value),
    [305_000_000_000, 306_305_000_000],
  ],
  ['fred', () => observations.parse(json('fred')).observations[0]?.value, '1065.9'],
];

describe('recorded payloads of others parse', () => {
  it.each(cases)('%s', (_, read, expected) => expect(read()).toEqual(expected));

  it('every recorded payload has a test', () => {
    expect(cases.map(([name]) => name).toSorted()).toEqual(Object.keys(recorded).toSorted());
  });
});
