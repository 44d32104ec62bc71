import { z } from 'zod';
import { defineEndpoint, label, timestamp } from './endpoint.ts';

/** Where values come from, in the words a person sees beside them. */
const source = label('simulated', 'recorded', 'live');

export const meta = defineEndpoint({
  path: '/meta',
  summary: 'Where the data comes from, market time and its speed, the age of every feed, extensions offered',
  query: z.object({}),
  answer: z.object({
    source,
    /** Where a live market's perpetuals are traded: a short name, and one for people. */
    venue: z.object({ name: z.string(), title: z.string() }).optional(),
    /** Market time at the moment of the answer. */
    marketTime: timestamp,
    /** Market seconds per wall second; 1 for live data. */
    speed: z.number().positive(),
    ready: z.boolean(),
    /** 0 to 1; what is being filled behind. */
    backfill: z.number().min(0).max(1),
    version: z.string(),
    symbols: z.array(z.string()),
    feeds: z.array(
      z.object({
        name: z.string(),
        source,
        /** Whose these are, where a feed has symbols of several sources: it then has a row for each source. */
        symbols: z.array(z.string()).optional(),
        lastUpdate: timestamp.optional(),
        ageMinutes: z.number().min(0).optional(),
        fresh: z.boolean(),
        /** Why it is not fresh, where known. */
        problem: z.string().optional(),
      }),
    ),
    /** Which index `fearGreed` of other answers is, where they hold one: the one published daily, or our estimate of it. */
    fearGreed: label('published', 'estimated').optional(),
    /** What `/liquidations` holds of those there are: every one, or one a second of a market at the most. */
    liquidations: label('ALL', 'ONE_A_SECOND').optional(),
    /** Names of endpoints offered beyond the interface. */
    extensions: z.array(z.string()),
  }),
  cadence: 1,
  extension: true,
});
