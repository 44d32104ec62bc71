import { z } from 'zod';
import {
  defineEndpoint,
  fundingRate,
  label,
  limit,
  pair,
  positive,
  timestamp,
  venueName,
} from './endpoint.ts';

/** A venue: its short name, which queries use, and its title for people. */
const venue = { venue: z.string(), title: z.string() };
const hours = z.int().min(1).max(24);

export const venues = defineEndpoint({
  path: '/venues',
  summary: 'The venues that are asked, the primary one first: what each tells, and whether it answers',
  query: z.object({}),
  answer: z.object({
    /** Where the data comes from. Simulated venues imitate the real venues of the same name. */
    source: z.string(),
    data: z.array(
      z.object({
        ...venue,
        /** Whether this is the venue that a response is about if it names no venue. */
        primary: z.boolean(),
        /** Names of the data that the venue offers. From venues other than the primary one only some of it is collected. */
        roles: z.array(z.string()),
        answers: z.boolean(),
        /** Time of the newest value. */
        lastUpdate: timestamp.optional(),
        ageMinutes: z.number().min(0).optional(),
        /** Why the venue does not respond, if known. */
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
    /** Which of marks and open interest the venue does not offer, or has not sent lately. */
    lacks: z.array(z.string()),
    data: z.array(
      z.object({
        symbol: z.string(),
        markPrice: positive.optional(),
        indexPrice: positive.optional(),
        /** The running rate, a fraction: what the next settlement would be. `hours` is the length of its interval. */
        rate: fundingRate.optional(),
        hours: hours.optional(),
        annualizedPct: z.number().optional(),
        /** In coins; `openInterestUsd` in USD. */
        openInterest: z.number().optional(),
        openInterestUsd: z.number().optional(),
        /** Time of the newest of these values. */
        timestamp,
      }),
    ),
  }),
  cadence: 300,
  extension: true,
});

/**
 * Venues whose market of this name is not compared, because it is another thing: by the venue's own category, for example
 * a stock, or because its price is far from the others'.
 */
const excluded = z
  .array(
    z.object({
      ...venue,
      reason: label('OTHER_CATEGORY', 'OTHER_PRICE'),
      /** How far its price is from the median of the others, percent. */
      priceDeviationPct: z.number().optional(),
    }),
  )
  .optional();

export const fundingDispersion = defineEndpoint({
  path: '/funding/dispersion',
  summary:
    'The running funding rate of each tracked symbol at every venue, a year by its own interval, and the gap between the highest and the lowest, widest first; of one symbol also without a gap',
  query: z.object({ symbol: pair.optional(), limit: limit(30, 200) }),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        /** The venues' rates; the rate that costs longs most comes first. */
        legs: z.array(
          z.object({
            ...venue,
            /** The running rate, a fraction per settlement. `hours` is the time between two settlements. */
            rate: fundingRate,
            hours: hours.optional(),
            /** Percent: rate × 24 / hours × 365 × 100. */
            annualizedPct: z.number().optional(),
            timestamp,
          }),
        ),
        /** The venues with the highest and the lowest rate; absent unless the yearly rates of two venues are known. */
        highest: z.string().optional(),
        lowest: z.string().optional(),
        /**
         * The gap between these two rates: `gap8h` as a fraction per 8 hours; `premiumPct` in percent per year of a position
         * that is held short at `highest` and long at `lowest`.
         */
        gap8h: z.number().min(0).optional(),
        premiumPct: z.number().min(0).optional(),
        excluded,
        /** Time of the newest leg. */
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
    /** Change of the number of coins held, percent. A move of the price alone is no change. */
    pct: z.number(),
    /** Coins opened or closed, in USD at the present price. */
    usd: z.number(),
    /** The venues whose open interest is known at both ends of the period. Only these venues are counted. */
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
        /** Open interest by venue, the largest first. */
        legs: z.array(
          z.object({
            ...venue,
            /** In coins; `usd` in USD. */
            openInterest: z.number().min(0),
            usd: z.number().min(0),
            /** Share of `totalUsd`, percent. */
            sharePct: z.number().min(0).max(100),
            timestamp,
          }),
        ),
        change1h: change,
        change24h: change,
        excluded,
        /** Time of the newest leg. */
        timestamp,
      }),
    ),
    /** The number of symbols before `limit` is applied. */
    count: z.int().min(0),
  }),
  cadence: 300,
  extension: true,
});
