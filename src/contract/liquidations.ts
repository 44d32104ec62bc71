import { z } from 'zod';
import { decimal, defineEndpoint, label, limit, pair, timestamp } from './endpoint.ts';

export const liquidations = defineEndpoint({
  path: '/liquidations',
  summary: 'Liquidations as captured live, newest first; without symbol, all tracked coins',
  query: z.object({
    symbol: pair.optional(),
    /** Only events after it. */
    since: z.iso.datetime({ offset: true }).optional(),
    limit: limit(100, 500),
  }),
  answer: z.object({
    data: z.array(
      z.object({
        symbol: z.string(),
        /** The liquidated side. */
        side: label('LONG', 'SHORT'),
        price: decimal,
        quantity: decimal,
        usd_value: z.number(),
        event_time: timestamp,
      }),
    ),
  }),
  cadence: 10,
});
