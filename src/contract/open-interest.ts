import { z } from 'zod';
import { decimal, defineEndpoint, label, limit, pair, span, timestamp } from './endpoint.ts';

export const oi = defineEndpoint({
  path: '/oi',
  summary: 'Open interest snapshots of one symbol, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), limit: limit(100, 1000) }),
  answer: z.object({
    symbol: z.string(),
    data: z.array(z.object({ timestamp, oi_contracts: decimal, oi_value_usd: decimal })),
  }),
  cadence: 300,
});

const momentumRow = z.object({
  timestamp,
  oi: z.number(),
  ratePct: z.number(),
  accelerationPct: z.number(),
});

export const oiMomentum = defineEndpoint({
  path: '/oi/momentum',
  summary: 'First and second derivative of open interest over 5-minute snapshots, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(6, 168) }),
  answer: z.object({
    symbol: z.string(),
    data: z.array(momentumRow),
    dataPoints: z.int().min(0),
    /** Absent only where the window holds no snapshot. */
    current: momentumRow.optional(),
    avgRatePct: z.number(),
    maxAcceleration: z.number(),
    signal: label('RAPID_BUILDUP', 'RAPID_UNWIND', 'BUILDING', 'UNWINDING', 'STABLE'),
  }),
  cadence: 300,
});
