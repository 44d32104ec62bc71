import { z } from 'zod';
import { defineEndpoint, label, span, timestamp } from './endpoint.ts';

export const listings = defineEndpoint({
  path: '/listings',
  summary:
    'What the exchange has changed about its perpetuals, tracked or not, as its list has shown every 15 minutes, newest first',
  query: z.object({ days: span(7, 30) }),
  answer: z.object({
    /** Of a live market: after a change of it these are another’s perpetuals. */
    venue: z.object({ name: z.string(), title: z.string() }).optional(),
    data: z.array(
      z.object({
        symbol: z.string(),
        /** `RETAINED`: it had been said that it would be delisted. */
        change: label('ANNOUNCED', 'LISTED', 'RENAMED', 'DELISTING', 'RETAINED', 'DELISTED', 'INTERVAL'),
        /** When it was seen. */
        timestamp,
        /** When trading begins or ends, or began or ended, where the exchange says it. */
        effective: timestamp.optional(),
        /** Its first price, of what is new and traded already. */
        price: z.number().positive().optional(),
        volume24hUsd: z.number().min(0).optional(),
        /** Hours between two settlements of funding, where the exchange says it, and what they were. */
        intervalHours: z.int().min(1).max(24).optional(),
        intervalHoursBefore: z.int().min(1).max(24).optional(),
        /** Its name before. */
        from: z.string().optional(),
      }),
    ),
    count: z.int().min(0),
    /** Since when the list has been looked at: earlier changes are not known. */
    since: timestamp,
    /** Of the newest list. */
    timestamp,
  }),
  cadence: 60,
  extension: true,
});
