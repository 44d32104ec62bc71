import { z } from 'zod';
import {
  defineEndpoint,
  label,
  limit,
  pair,
  positive,
  positiveDecimal,
  span,
  timestamp,
  venueAnswer,
  venueQuery,
} from './endpoint.ts';

export const oi = defineEndpoint({
  path: '/oi',
  summary: 'Open interest snapshots of one symbol, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), limit: limit(100, 1000), ...venueQuery }),
  answer: z.object({
    ...venueAnswer,
    symbol: z.string(),
    data: z.array(z.object({ timestamp, oi_contracts: positiveDecimal, oi_value_usd: positiveDecimal })),
  }),
  cadence: 300,
});

const signal = label('RAPID_BUILDUP', 'RAPID_UNWIND', 'BUILDING', 'UNWINDING', 'STABLE');

const momentumRow = z.object({
  timestamp,
  oi: positive,
  ratePct: z.number().gt(-100),
  accelerationPct: z.number(),
});

export const oiMomentum = defineEndpoint({
  path: '/oi/momentum',
  summary: 'First and second derivative of open interest over 5-minute snapshots, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(6, 168), ...venueQuery }),
  answer: z.object({
    ...venueAnswer,
    symbol: z.string(),
    data: z.array(momentumRow),
    dataPoints: z.int().min(0),
    /** Absent only if the window contains no snapshot. */
    current: momentumRow.optional(),
    avgRatePct: z.number(),
    maxAcceleration: z.number(),
    signal,
  }),
  cadence: 300,
});

export const oiMovers = defineEndpoint({
  path: '/oi/movers',
  summary: 'The newest row and the signal of /oi/momentum for every tracked symbol, the fastest change first',
  query: z.object({}),
  answer: z.object({
    /** Without symbols that have no row of the last 15 minutes. */
    data: z.array(
      z.object({
        symbol: z.string(),
        ...momentumRow.shape,
        /** Change of `oi` over the hour that ends at the row, percent; omitted without a snapshot of an hour before. */
        change1hPct: z.number().optional(),
        signal,
      }),
    ),
    count: z.int().min(0),
  }),
  cadence: 300,
  extension: true,
});

const velocityRow = z.object({
  timestamp,
  oi: positive,
  /** `velocity` in contracts and `velocityUsd` in USD per hour, over the hour that ends at this row. */
  velocity: z.number(),
  velocityUsd: z.number(),
  velocityPct: z.number(),
});

export const oiVelocity = defineEndpoint({
  path: '/oi/velocity',
  summary: 'Change of open interest over the hour that ends at each snapshot, oldest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(6, 168), ...venueQuery }),
  answer: z.object({
    ...venueAnswer,
    symbol: z.string(),
    data: z.array(velocityRow),
    dataPoints: z.int().min(0),
    current: velocityRow.optional(),
    avgVelocityPct: z.number(),
  }),
  cadence: 300,
  extension: true,
});

export const leverage = defineEndpoint({
  path: '/leverage',
  summary: 'Estimate: the leverage of those who were liquidated, and open interest against a day of volume',
  query: z.object({ symbol: pair.default('BTCUSDT'), hours: span(24, 168) }),
  answer: z.object({
    symbol: z.string(),
    estimate: z.literal(true),
    /** Mean weighted by USD over the liquidations of the window. Omitted if no liquidation allows an estimate. */
    estimatedLeverage: z.number().optional(),
    /** How many liquidations the estimate is based on. */
    sampleSize: z.int().min(0),
    /** Open interest in USD divided by the volume of the last 24 closed hours. Omitted if an hour is missing. */
    oiToVolume: z.number().optional(),
    timestamp,
  }),
  cadence: 300,
  extension: true,
});
