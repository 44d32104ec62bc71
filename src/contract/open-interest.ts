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

/** An exchange's margin rules for positions up to a size. */
const marginTier = z.object({
  /** The largest position, in `unit`. Omitted: there is no largest one. */
  upTo: positive.optional(),
  /** Maintenance margin, a fraction of the position. */
  maintenanceRate: z.number().gt(0).lt(1),
  maxLeverage: z.number().min(1),
});

/** Whether each tier takes larger positions than the last, for no less margin, and liquidates none as it is opened. */
const areTiers = (tiers: readonly z.output<typeof marginTier>[]): boolean =>
  tiers.every(({ upTo = Number.POSITIVE_INFINITY, maintenanceRate: rate, maxLeverage }, index) => {
    const before = tiers[index - 1] ?? { upTo: 0, maintenanceRate: 0 };
    const { upTo: smaller = Number.POSITIVE_INFINITY, maintenanceRate: least } = before;
    return upTo > smaller && rate >= least && rate * maxLeverage < 1;
  });

export const leverageTiers = defineEndpoint({
  path: '/leverage/tiers',
  summary: 'The margin that a venue asks for a position of each size, the smallest first',
  query: z.object({ symbol: pair.default('BTCUSDT'), ...venueQuery }),
  answer: z.object({
    venue: z.string(),
    title: z.string(),
    symbol: z.string(),
    /** What a size counts: the value of the position, or its coins. */
    unit: z.enum(['USD', 'COINS']),
    tiers: z.array(marginTier).min(1).max(1_000).refine(areTiers, 'must ascend'),
  }),
  cadence: 3_600,
  extension: true,
});
