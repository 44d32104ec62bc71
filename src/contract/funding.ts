import { z } from 'zod';
import {
  decimal,
  defineEndpoint,
  fundingRate,
  label,
  limit,
  pair,
  timestamp,
  venueAnswer,
  venueQuery,
} from './endpoint.ts';

export const fundingCurrent = defineEndpoint({
  path: '/funding/current',
  summary: 'The most recent settlement of every tracked symbol',
  query: z.object({}),
  answer: z.object({
    data: z.array(z.object({ symbol: z.string(), rate: decimal, annualized: decimal, timestamp })),
  }),
  cadence: 300,
});

export const fundingHistory = defineEndpoint({
  path: '/funding/history',
  summary: 'Settlements of one symbol, oldest first; annualized = rate × 3 × 365 × 100, percent',
  query: z.object({ symbol: pair.default('BTCUSDT'), limit: limit(100, 1000), ...venueQuery }),
  answer: z.object({
    ...venueAnswer,
    symbol: z.string(),
    data: z.array(z.object({ timestamp, rate: decimal, annualized: decimal })),
  }),
  cadence: 300,
});

export const fundingIntervals = defineEndpoint({
  path: '/funding/intervals',
  summary:
    'Hours between two settlements of every tracked symbol, as its latest ones show; unknown ones left out',
  query: z.object({}),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        hours: z.int().min(1).max(24),
        /** Time of the newest settlement. */
        timestamp,
      }),
    ),
  }),
  cadence: 300,
  extension: true,
});

export const fundingStandings = defineEndpoint({
  path: '/funding/z',
  summary:
    'Where the funding of every tracked symbol stands among its own settlements of the last 30 days, as in /funding/extremes',
  query: z.object({}),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        currentRate: fundingRate,
        /** Mean (`avg30dRate`) and sample standard deviation (`sd30dRate`) of the settlements, including the current one. */
        avg30dRate: z.number(),
        sd30dRate: z.number().min(0),
        settlements: z.int().min(1),
        /** (currentRate − mean) / deviation; absent with fewer than 20 settlements, and if all rates are equal. */
        zScore: z.number().optional(),
        timestamp,
      }),
    ),
  }),
  cadence: 300,
  extension: true,
});

export const fundingExtremes = defineEndpoint({
  path: '/funding/extremes',
  summary: 'Symbols whose funding stands out against their own last 30 days, largest |z| first',
  query: z.object({ limit: limit(30, 100) }),
  safeLimit: 30,
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        currentRate: fundingRate,
        annualizedPct: z.number(),
        avg30dRate: z.number(),
        zScore: z.number(),
        severity: label('ELEVATED', 'HIGH', 'EXTREME'),
        direction: label('OVERLEVERAGED_LONG', 'OVERLEVERAGED_SHORT'),
        timestamp,
      }),
    ),
    count: z.int().min(0),
    threshold: z.string(),
  }),
  cadence: 300,
});
