import { z } from 'zod';
import { defineEndpoint, label, limit, span, timestamp } from './endpoint.ts';
import { checkedValue, checkMiss, checkRole } from './labels.ts';

const grade = label('A', 'B', 'C', 'D', 'F');
const qualityStatus = label('HEALTHY', 'DEGRADED', 'DOWN');
const check = z.object({
  fresh: z.boolean(),
  /** Absent only until the first value has been received. */
  lastUpdate: timestamp.optional(),
  ageMinutes: z.number().min(0).optional(),
});

export const dataQuality = defineEndpoint({
  path: '/data/quality',
  summary: 'How fresh and complete the data is',
  query: z.object({}),
  answer: z.object({
    score: z.number().min(0).max(100),
    grade,
    status: qualityStatus,
    /**
     * Also contains `liquidation_events`, unless the venue publishes no liquidations. Its `completeSince` is the end of the last
     * interruption of the stream: sums from before it are lower bounds. Not part of the interface.
     */
    checks: z
      .object({
        candles: check,
        funding_history: check,
        oi_history: check,
      })
      .catchall(check.extend({ completeSince: timestamp.optional() })),
    /**
     * Values that most checks of the latest audits found to differ from the exchange's, each with the reason in words. Not
     * part of the interface.
     */
    drifts: z
      .array(
        z.object({
          value: checkedValue,
          venue: z.string(),
          /** The number of checks in the latest audits. `beyond` is how many of them were beyond tolerance or late. */
          checks: z.int().min(1),
          beyond: z.int().min(1),
          /** The largest difference and its symbol: published minus asked, percent of the larger of the two. */
          worstPct: z.number(),
          symbol: z.string(),
          reason: z.string(),
        }),
      )
      .optional(),
    timestamp,
  }),
  cadence: 300,
});

export const dataQualityHistory = defineEndpoint({
  path: '/data/quality/history',
  summary: 'Past quality checks, one every 5 minutes, oldest first',
  query: z.object({ hours: span(24, 720) }),
  answer: z.object({
    data: z.array(
      z.object({ timestamp, score: z.number(), grade, status: qualityStatus, summary: z.string() }),
    ),
    count: z.int().min(0),
    window: z.string(),
  }),
  cadence: 300,
});

const dataCheck = z.object({
  timestamp,
  symbol: z.string(),
  value: checkedValue,
  /** The venue that was asked. */
  venue: z.string(),
  role: checkRole,
  /** SHOWN: the value is compared with that of another market, so a difference is neither right nor wrong. */
  verdict: label('WITHIN', 'BEYOND', 'LATE', 'MISSED', 'SHOWN'),
  /** The published value and the value asked from the venue, each with its time. Absent if the verdict is MISSED. */
  published: z.number().optional(),
  publishedAt: timestamp.optional(),
  asked: z.number().optional(),
  askedAt: timestamp.optional(),
  /** Published minus asked, percent of the larger of the two. `allowedPct` is the size up to which this is no fault. */
  differencePct: z.number().optional(),
  allowedPct: z.number().optional(),
  /** Age of the published value at the time of the audit. */
  ageMinutes: z.number().min(0).optional(),
  reason: checkMiss.optional(),
  detail: z.string().optional(),
});

export const dataChecks = defineEndpoint({
  path: '/data/checks',
  summary:
    'What we publish, checked against the exchange: how often it is the same, the worst differences, what could not be asked, and the latest checks, newest first',
  query: z.object({ hours: span(24, 720), limit: limit(50, 500) }),
  answer: z.object({
    /** Where the market data comes from. A simulated market is audited against its simulator. */
    source: label('simulated', 'recorded', 'live'),
    values: z.array(
      z.object({
        value: checkedValue,
        venue: z.string(),
        role: checkRole,
        /** The number of checks that were answered. `medianPct` is the median size of their differences, percent. */
        checks: z.int().min(0),
        medianPct: z.number().min(0).optional(),
        /** How many checks were within tolerance, and their share of those judged, 0 to 1. Absent if no check was judged. */
        within: z.int().min(0).optional(),
        share: z.number().min(0).max(1).optional(),
        /** The number of checks that got no answer although the venue can be asked for the value. */
        missed: z.int().min(0),
      }),
    ),
    /** Checks beyond tolerance or late, the furthest beyond first. Like `data`, at most `limit` rows. */
    worst: z.array(dataCheck),
    misses: z.array(
      z.object({
        value: checkedValue,
        venue: z.string(),
        reason: checkMiss,
        count: z.int().min(1),
        /** Time of the latest miss. */
        timestamp,
        detail: z.string(),
      }),
    ),
    data: z.array(dataCheck),
    count: z.int().min(0),
    window: z.string(),
  }),
  // Audits run every ten minutes, but not at full multiples of ten minutes, so the cadence is shorter.
  cadence: 60,
  extension: true,
});
