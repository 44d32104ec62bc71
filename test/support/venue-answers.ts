import type { EndpointAnswer } from '#src/contract/index.ts';
import { iso, minute } from '#src/runtime/units.ts';

type VenueEndpoint = 'venues' | 'venueMarkets' | 'fundingDispersion' | 'oiAggregate';

const binance = { venue: 'binance', title: 'Binance USD-M' };
const hyperliquid = { venue: 'hyperliquid', title: 'Hyperliquid' };

/**
 * Responses with two venues as of `now`: on Hyperliquid longs pay more in every market, and it holds a quarter of the open
 * interest.
 */
export function venueAnswers(
  now: number,
  universe: readonly string[],
): { readonly [Name in VenueEndpoint]: EndpointAnswer<Name> } {
  const timestamp = iso(now - 3 * minute);
  return {
    venues: {
      source: 'simulated',
      data: [
        {
          ...binance,
          primary: true,
          roles: ['candles', 'funding', 'marks', 'pastOpenInterest', 'liquidations'],
          answers: true,
          lastUpdate: timestamp,
          ageMinutes: 3,
        },
        {
          ...hyperliquid,
          primary: false,
          roles: ['candles', 'funding', 'marks', 'openInterest'],
          answers: true,
          lastUpdate: timestamp,
          ageMinutes: 3,
        },
      ],
    },
    venueMarkets: {
      ...binance,
      lacks: [],
      data: universe.map((symbol) => ({
        symbol,
        markPrice: 97_010,
        indexPrice: 97_000,
        rate: 0.0001,
        hours: 8,
        annualizedPct: 10.95,
        openInterest: 98_000,
        openInterestUsd: 9_506_980_000,
        timestamp,
      })),
    },
    fundingDispersion: {
      data: universe.map((symbol, at) => ({
        symbol,
        legs: [
          { ...hyperliquid, rate: 0.00002, hours: 1, annualizedPct: 17.52, timestamp },
          { ...binance, rate: 0.0001, hours: 8, annualizedPct: 10.95, timestamp },
        ],
        highest: 'hyperliquid',
        lowest: 'binance',
        gap8h: 0.00006,
        premiumPct: 6.57 - at / 10,
        timestamp,
      })),
      count: universe.length,
    },
    oiAggregate: {
      data: universe.map((symbol) => ({
        symbol,
        totalUsd: 12_000_000_000,
        legs: [
          { ...binance, openInterest: 93_000, usd: 9_000_000_000, sharePct: 75, timestamp },
          { ...hyperliquid, openInterest: 31_000, usd: 3_000_000_000, sharePct: 25, timestamp },
        ],
        change1h: { pct: 1.2, usd: 142_000_000, venues: ['binance', 'hyperliquid'] },
        change24h: { pct: -3.4, usd: -408_000_000, venues: ['binance'] },
        timestamp,
      })),
      count: universe.length,
    },
  };
}
