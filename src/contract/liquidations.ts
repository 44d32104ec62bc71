import { z } from 'zod';
import {
  amount,
  between,
  defineEndpoint,
  fraction,
  label,
  limit,
  pair,
  positiveDecimal,
  timestamp,
} from './endpoint.ts';

const liquidationQuery = z.object({
  symbol: pair.optional(),
  /** Only events after this time are returned. */
  since: z.iso.datetime({ offset: true }).optional(),
  limit: limit(100, 500),
});

const liquidation = z.object({
  symbol: z.string(),
  /** The liquidated side. */
  side: label('LONG', 'SHORT'),
  price: positiveDecimal,
  quantity: positiveDecimal,
  usd_value: amount,
  event_time: timestamp,
});

export const liquidations = defineEndpoint({
  path: '/liquidations',
  summary: 'Liquidations as captured live, newest first; without symbol, all tracked coins',
  query: liquidationQuery,
  answer: z.object({ data: z.array(liquidation) }),
  cadence: 10,
});

export const venueLiquidations = defineEndpoint({
  path: '/liquidations/venues',
  summary: 'Liquidations at all venues that publish them, newest first, and how much of them each publishes',
  query: liquidationQuery,
  answer: z.object({
    data: z.array(liquidation.extend({ venue: z.string() })),
    /** ONE_A_SECOND: at most one a second and market. */
    coverage: z.array(
      z.object({ venue: z.string(), title: z.string(), publishes: label('ALL', 'ONE_A_SECOND') }),
    ),
  }),
  cadence: 10,
  extension: true,
});

const side = label('LONG', 'SHORT');

export const liquidationZones = defineEndpoint({
  path: '/liquidations/zones',
  summary:
    'Estimate: where positions opened in the last 7 days would be liquidated, by assumed leverage, lowest price first',
  query: z.object({ symbol: pair.default('BTCUSDT') }),
  answer: z.object({
    symbol: z.string(),
    estimate: z.literal(true),
    price: z.number(),
    zones: z.array(
      z.object({ side, price: z.number(), distancePct: z.number(), estimatedUsd: z.number().min(0) }),
    ),
    /** Share of today's open interest that was opened within the window. Nothing is known about the rest. */
    coverage: z.number().min(0).max(1),
    /**
     * How maps like this one fared: what share of all USD liquidated on the last days fell into the quarter of levels with the
     * largest estimates, among the levels that the price reached. Omitted where too little was liquidated to tell.
     */
    judged: z
      .object({
        share: fraction,
        /** The interval that holds the share in 95 of 100 cases, by day blocks. */
        low: fraction,
        high: fraction,
        chance: fraction,
        /** The share of the same maps with their estimates shuffled among the levels. */
        placebo: fraction,
        /** Whether the whole interval lies above both. */
        isBetter: z.boolean(),
        liquidations: z.int().min(0),
        days: z.int().min(0),
      })
      .optional(),
    timestamp,
  }),
  cadence: 300,
  extension: true,
});

export const liquidationCascade = defineEndpoint({
  path: '/liquidations/cascade',
  summary: 'Estimate: what a sudden move would liquidate, and how much further that would move the price',
  query: z.object({
    symbol: pair.default('BTCUSDT'),
    /** Size of the first move, percent; negative is down. */
    movePct: between({ defaultValue: -5, min: -50, max: 50 }),
  }),
  answer: z.object({
    symbol: z.string(),
    estimate: z.literal(true),
    movePct: z.number(),
    startPrice: z.number(),
    /** Each round liquidates the positions whose price has been reached by then. */
    rounds: z.array(z.object({ price: z.number(), estimatedUsd: z.number() })),
    estimatedFinalPrice: z.number(),
    estimatedTotalUsd: z.number().min(0),
    /** The whole move divided by the first move; 1 if nothing follows. */
    amplification: z.number().min(1),
    timestamp,
  }),
  cadence: 300,
  extension: true,
});

export const liquidationScore = defineEndpoint({
  path: '/liquidations/score',
  summary: 'Estimate: how unusual the signs of liquidations to come are, fused into 0 to 100',
  query: z.object({ symbol: pair.default('BTCUSDT') }),
  answer: z.object({
    symbol: z.string(),
    estimate: z.literal(true),
    score: z.number().min(0).max(100),
    /** The side with more estimated USD to be liquidated near the price. */
    sideAtRisk: label('LONG', 'SHORT', 'BALANCED'),
    /** Values from 0 to 1. Unknown components are left out, and the weights of the rest count in proportion. */
    components: z.array(z.object({ name: z.string(), value: z.number(), weight: z.number() })),
    timestamp,
  }),
  cadence: 300,
  extension: true,
});
