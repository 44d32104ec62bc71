import { z } from 'zod';
import { defineEndpoint, limit, pair, timestamp, venueName } from './endpoint.ts';

/** A short name, for queries, and one for people. */
const venue = { venue: z.string(), title: z.string() };
const hours = z.int().min(1).max(24);

export const venues = defineEndpoint({
  path: '/venues',
  summary: 'The venues that are asked, the primary one first: what each tells, and whether it answers',
  query: z.object({}),
  answer: z.object({
    /** Simulated ones have the form of those they are named after. */
    source: z.string(),
    data: z.array(
      z.object({
        ...venue,
        /** The one that all answers are about which name no venue. */
        primary: z.boolean(),
        /** Names of what it tells; what of that is collected beside the primary one is marks and open interest. */
        roles: z.array(z.string()),
        answers: z.boolean(),
        /** Of the newest value. */
        lastUpdate: timestamp.optional(),
        ageMinutes: z.number().min(0).optional(),
        /** Why it does not answer, where that is known. */
        problem: z.string().optional(),
      }),
    ),
  }),
  cadence: 60,
  extension: true,
});

export const venueMarkets = defineEndpoint({
  path: '/venues/markets',
  summary:
    'What one venue, the primary where none is named, says of the tracked symbols now: mark price, running funding rate, open interest',
  query: z.object({ venue: venueName.optional(), symbol: pair.optional() }),
  answer: z.object({
    ...venue,
    /** Of marks and open interest what it does not tell, or has not told lately. */
    lacks: z.array(z.string()),
    data: z.array(
      z.object({
        symbol: z.string(),
        markPrice: z.number().optional(),
        indexPrice: z.number().optional(),
        /** Running: what the next settlement would be, a fraction, and its hours. */
        rate: z.number().optional(),
        hours: hours.optional(),
        annualizedPct: z.number().optional(),
        /** In coins, and USD. */
        openInterest: z.number().optional(),
        openInterestUsd: z.number().optional(),
        /** Of the newest of these. */
        timestamp,
      }),
    ),
  }),
  cadence: 300,
  extension: true,
});

export const fundingDispersion = defineEndpoint({
  path: '/funding/dispersion',
  summary:
    'The running funding rate of each tracked symbol at every venue, a year by its own interval, and the gap between the highest and the lowest, widest first; of one symbol also without a gap',
  query: z.object({ symbol: pair.optional(), limit: limit(30, 200) }),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        /** The dearest for longs first. */
        legs: z.array(
          z.object({
            ...venue,
            /** Running, a fraction per settlement, and the hours between two. */
            rate: z.number(),
            hours: hours.optional(),
            /** Percent: rate × 24 / hours × 365 × 100. */
            annualizedPct: z.number().optional(),
            timestamp,
          }),
        ),
        /** Venues, where the rates of two are known. */
        highest: z.string().optional(),
        lowest: z.string().optional(),
        /** Between them: a fraction in 8 hours, and percent a year of what is held short at the one and long at the other. */
        gap8h: z.number().min(0).optional(),
        premiumPct: z.number().min(0).optional(),
        /** Of the newest leg. */
        timestamp,
      }),
    ),
    /** How many symbols have a gap. */
    count: z.int().min(0),
  }),
  cadence: 300,
  extension: true,
});

const change = z
  .object({
    /** Of the coins held, percent: a move of the price alone is none. */
    pct: z.number(),
    /** Opened or closed, USD at the present price. */
    usd: z.number(),
    /** Whose open interest is known at both ends, and nothing else is counted. */
    venues: z.array(z.string()),
  })
  .optional();

export const oiAggregate = defineEndpoint({
  path: '/oi/aggregate',
  summary:
    'Open interest of each tracked symbol at every venue and in sum, largest first, and its change over 1 h and 24 h at the venues known at both ends',
  query: z.object({ symbol: pair.optional(), limit: limit(30, 200) }),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        totalUsd: z.number().min(0),
        /** The largest first. */
        legs: z.array(
          z.object({
            ...venue,
            /** In coins, and USD. */
            openInterest: z.number().min(0),
            usd: z.number().min(0),
            /** Of the sum. */
            sharePct: z.number().min(0).max(100),
            timestamp,
          }),
        ),
        change1h: change,
        change24h: change,
        /** Of the newest leg. */
        timestamp,
      }),
    ),
    /** How many symbols there are. */
    count: z.int().min(0),
  }),
  cadence: 300,
  extension: true,
});
