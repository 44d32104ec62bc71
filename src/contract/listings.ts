import { z } from 'zod';
import { defineEndpoint, label, span, timestamp } from './endpoint.ts';

export const listings = defineEndpoint({
  path: '/listings',
  summary:
    'What the exchange has changed about its perpetuals, tracked or not, as its list has shown every 5 minutes, newest first',
  query: z.object({ days: span(7, 30) }),
  answer: z.object({
    /** The venue of a live market. After a change of venue, the list is about another venue’s perpetuals. */
    venue: z.object({ name: z.string(), title: z.string() }).optional(),
    data: z.array(
      z.object({
        symbol: z.string(),
        /** `RETAINED`: an announced delisting no longer applies. */
        change: label('ANNOUNCED', 'LISTED', 'RENAMED', 'DELISTING', 'RETAINED', 'DELISTED', 'INTERVAL'),
        /** When the change was seen. */
        timestamp,
        /** When trading begins or ends, or began or ended, if the exchange says so. */
        effective: timestamp.optional(),
        /** The first price seen, for a new perpetual that is already traded. */
        price: z.number().positive().optional(),
        volume24hUsd: z.number().min(0).optional(),
        /** Hours between two funding settlements, if the exchange says so; `intervalHoursBefore` before the change. */
        intervalHours: z.int().min(1).max(24).optional(),
        intervalHoursBefore: z.int().min(1).max(24).optional(),
        /** The symbol before it was renamed. */
        from: z.string().optional(),
      }),
    ),
    count: z.int().min(0),
    /** When the list was first read: earlier changes are not known. */
    since: timestamp,
    /** Time of the newest list. */
    timestamp,
  }),
  cadence: 60,
  extension: true,
});
