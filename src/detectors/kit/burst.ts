import { z } from 'zod';
import type { Change, Severity } from '../../alert/alert.ts';
import { bucket } from './rolling.ts';
import type { Event } from './tape.ts';

/** One stretch in which far more is liquidated than usual, of one market: JSON. */
export const burst = z.object({
  open: z
    .object({
      quiet: z.boolean(),
      severity: z.enum(['warning', 'critical']),
      /** USD since it began, and the longs' part of it. */
      total: z.number(),
      longs: z.number(),
      /** Its minutes, from the window before it on: for its chart. */
      minutes: z.array(bucket).default([]),
    })
    .nullable(),
  endedAt: z.number(),
});
type Burst = z.output<typeof burst>;
export const calm: Burst = { open: null, endedAt: 0 };

interface Limits {
  /** Ends below this part of the level that fires. */
  readonly exit: number;
  /** Critical at this many times the level that fires. */
  readonly critical: number;
  /** ms after an end. */
  readonly cooldown: number;
}

/** With what was liquidated since, where it is open. */
export function grown(past: Burst, events: readonly Event[] = []): Burst {
  if (past.open === null) return past;
  const { total, longs } = past.open;
  return {
    ...past,
    open: {
      ...past.open,
      total: events.reduce((sum, { usd }) => sum + usd, total),
      longs: events.reduce((sum, { usd, side }) => (side === 'SHORT' ? sum : sum + usd), longs),
    },
  };
}

export interface JudgedBurst {
  readonly status?: Change['status'];
  readonly severity: Severity;
  /** USD, and the longs' part of them: of one and the same time. */
  readonly sum: number;
  readonly longs: number;
  readonly next: Burst;
}

/** Whether it begins, worsens or ends, by the sum of the window and the level that fires, both USD. */
export function judgeBurst(
  one: Burst,
  seen: {
    readonly sum: number;
    readonly longs: number;
    readonly enter: number;
    readonly last: number;
    readonly early: boolean;
    readonly quiet: boolean;
    readonly options: Limits;
  },
): JudgedBurst {
  const { sum, longs, enter, last, early, quiet, options } = seen;
  const severity = sum >= enter * options.critical ? 'critical' : 'warning';
  const { open } = one;
  if (open === null) {
    const cooling = last - one.endedAt < options.cooldown && severity !== 'critical';
    if (sum < enter || cooling || early) return { severity, sum, longs, next: one };
    const next = { ...one, open: { quiet, severity, total: sum, longs, minutes: [] } } satisfies Burst;
    return quiet ? { severity, sum, longs, next } : { status: 'firing', severity, sum, longs, next };
  }
  if (sum < enter * options.exit) {
    const next = { open: null, endedAt: last };
    return open.quiet
      ? { severity, sum, longs, next }
      : { status: 'resolved', severity: open.severity, sum: open.total, longs: open.longs, next };
  }
  if (severity === 'critical' && open.severity === 'warning') {
    const next = { ...one, open: { ...open, quiet: false, severity } as const };
    return { status: open.quiet ? 'firing' : 'updated', severity, sum, longs, next };
  }
  return { severity: open.severity, sum, longs, next: one };
}
