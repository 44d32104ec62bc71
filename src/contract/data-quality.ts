import { z } from 'zod';
import { defineEndpoint, label, limit, span, timestamp } from './endpoint.ts';
import { auditedValue, auditMiss, auditRole } from './labels.ts';

const grade = label('A', 'B', 'C', 'D', 'F');
const qualityStatus = label('HEALTHY', 'DEGRADED', 'DOWN');
const check = z.object({
  fresh: z.boolean(),
  /** Absent only before the first value ever seen. */
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
    /** And `liquidation_events`, but where the venue publishes none. */
    checks: z
      .object({
        candles: check,
        funding_history: check,
        oi_history: check,
      })
      .catchall(check),
    /** Values that most of the last audits found to differ from the exchange's, each with the reason in words. Ours. */
    drifts: z
      .array(
        z.object({
          value: auditedValue,
          venue: z.string(),
          /** The last ones, and how many of them were beyond tolerance or late. */
          checks: z.int().min(1),
          beyond: z.int().min(1),
          /** Published less asked, of the larger of the two, and whose. */
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

const auditRow = z.object({
  timestamp,
  symbol: z.string(),
  value: auditedValue,
  /** Who was asked. */
  venue: z.string(),
  role: auditRole,
  /** SHOWN: another market's own value beside ours, which is neither right nor wrong. */
  verdict: label('WITHIN', 'BEYOND', 'LATE', 'MISSED', 'SHOWN'),
  /** Of what is missed these are left out; each value has the time that it is of. */
  published: z.number().optional(),
  publishedAt: timestamp.optional(),
  asked: z.number().optional(),
  askedAt: timestamp.optional(),
  /** Published less asked, of the larger of the two; `allowedPct` is how much of it is no fault. */
  differencePct: z.number().optional(),
  allowedPct: z.number().optional(),
  /** Of what is published, at the time of the audit. */
  ageMinutes: z.number().min(0).optional(),
  reason: auditMiss.optional(),
  detail: z.string().optional(),
});

export const dataAudit = defineEndpoint({
  path: '/data/audit',
  summary:
    'What we publish, checked against the exchange: how often it is the same, the worst differences, what could not be asked, and the latest checks, newest first',
  query: z.object({ hours: span(24, 720), limit: limit(50, 500) }),
  answer: z.object({
    /** Where the market comes from: simulated ones are audited at their simulator. */
    source: label('simulated', 'recorded', 'live'),
    values: z.array(
      z.object({
        value: auditedValue,
        venue: z.string(),
        role: auditRole,
        /** Checks that were answered, and the median size of their difference. */
        checks: z.int().min(0),
        medianPct: z.number().min(0).optional(),
        /** Of them within tolerance, and the share, 0 to 1; absent where there is none, or they are shown alone. */
        within: z.int().min(0).optional(),
        share: z.number().min(0).max(1).optional(),
        /** Could have been asked, and were not answered. */
        missed: z.int().min(0),
      }),
    ),
    /** Beyond tolerance or late, the furthest beyond first; `limit` of them, as of `data`. */
    worst: z.array(auditRow),
    misses: z.array(
      z.object({
        value: auditedValue,
        venue: z.string(),
        reason: auditMiss,
        count: z.int().min(1),
        /** The latest. */
        timestamp,
        detail: z.string(),
      }),
    ),
    data: z.array(auditRow),
    count: z.int().min(0),
    window: z.string(),
  }),
  // A round comes every ten minutes, and not when ten minutes are full.
  cadence: 60,
  extension: true,
});
