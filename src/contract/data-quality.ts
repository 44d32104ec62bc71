import { z } from 'zod';
import { defineEndpoint, label, span, timestamp } from './endpoint.ts';

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
