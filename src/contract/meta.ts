import { z } from 'zod';
import { defineEndpoint, label, timestamp } from './endpoint.ts';
import { marketKind } from './labels.ts';

/** The fastest that a market may run: market seconds per wall second. It bounds how far a service's time can go ahead. */
const maxSpeed = 3_600;

/** Where values come from, in the words that people see beside them. */
const source = label('simulated', 'recorded', 'live');

export const meta = defineEndpoint({
  path: '/meta',
  summary: 'Where the data comes from, market time and its speed, the age of every feed, extensions offered',
  query: z.object({}),
  answer: z.object({
    source,
    /** The venue on which a live market's perpetuals are traded: a short name, and a title for people. */
    venue: z.object({ name: z.string(), title: z.string() }).optional(),
    /** Identifies this run of the market: another archive of the same market is another run. Absent: unknown. */
    run: z.string().min(1).max(100).optional(),
    /** Market time at the moment of the response. */
    marketTime: timestamp,
    /** Market seconds per wall second; 1 for live data. */
    speed: z.number().positive().max(maxSpeed),
    ready: z.boolean(),
    /** How much of the past has been fetched, 0 to 1. */
    backfill: z.number().min(0).max(1),
    version: z.string(),
    /** The followed markets, which have history, analytics and alerts; the largest volume first. */
    symbols: z.array(z.string()),
    /** Every market that can be asked about, followed or not, the largest volume first. Absent: those followed. */
    listed: z.array(z.string()).optional(),
    /** What a listed market is, by its symbol, where it is no coin’s perpetual. */
    kinds: z.record(z.string(), marketKind).optional(),
    feeds: z.array(
      z.object({
        name: z.string(),
        source,
        /** The symbols of this row, if a feed has symbols from several sources: it then has a row for each source. */
        symbols: z.array(z.string()).optional(),
        lastUpdate: timestamp.optional(),
        ageMinutes: z.number().min(0).optional(),
        fresh: z.boolean(),
        /** Why the feed is not fresh, if known. */
        problem: z.string().optional(),
      }),
    ),
    /** What `fearGreed` in other responses is, if present: the index published daily, or our estimate of that index. */
    fearGreed: label('published', 'estimated').optional(),
    /** Whether `/liquidations` has every liquidation, or at most one per second and market. */
    liquidations: label('ALL', 'ONE_A_SECOND').optional(),
    /**
     * Pages about a market for people, at its exchange first: `{symbol}` stands for its name, `{base}` and, in small letters,
     * `{coin}` for that of its coin. Simulated and recorded data have those of the market that they imitate.
     */
    pages: z
      .array(z.object({ title: z.string().max(60), url: z.string().startsWith('https://').max(300) }))
      .max(8)
      .optional(),
    /** Names of the endpoints that the service offers in addition to the interface. */
    extensions: z.array(z.string()),
  }),
  cadence: 1,
  extension: true,
});
