import { z } from 'zod';
import { countEach, type Told, told } from './told.ts';

/** Which of its sides a value is on at one data time; null: between them, which decides nothing. */
export interface Stance {
  /** Data time, market ms. */
  readonly at: number;
  readonly side: string | null;
}

export interface TurnRules {
  /** Stances in a row on the other side before it has turned. */
  readonly confirm: number;
  /** A turn that has stood this long is settled, ms. */
  readonly settle: number;
  /** After a turn was told, no other is for this long, ms. */
  readonly cooldown: number;
}

/** One value that is always on some side: plain JSON. */
export const turning = z.object({
  /** Data time of the last stance counted. */
  seen: z.number(),
  /** null until it was first on one. */
  side: z.string().nullable(),
  pending: z.object({ side: z.string(), count: z.int() }).nullable(),
  /** The turn people know of and that has not settled. */
  open: z.object({ side: z.string(), at: z.number() }).nullable(),
  /** When a turn was last told, data time. */
  toldAt: z.number().nullable(),
});
export type Turning = z.output<typeof turning>;

/**
 * Follows a value from one side to the other: each turn is one alert, which ends with the next turn or once it has
 * stood for `settle`. A gap between the sides is the hysteresis. The first stances are a silent baseline. A turn there
 * and back between two calls is not told.
 */
export function turn(
  past: Turning | undefined,
  stances: readonly Stance[],
  rules: TurnRules,
): { readonly next: Turning | undefined; readonly told: Told } {
  const next = countEach(past, stances, (known, stance) => count(known, stance, rules));
  if (past === undefined) return { next: next && { ...next, open: null, toldAt: null }, told: [] };
  return { next, told: told(past.open?.side ?? null, next?.open?.side ?? null) };
}

function count(past: Turning | undefined, { at, side }: Stance, rules: TurnRules): Turning {
  if (past === undefined) return { seen: at, side, pending: null, open: null, toldAt: null };
  const settled = past.open !== null && at - past.open.at >= rules.settle;
  const known: Turning = { ...past, seen: at, open: settled ? null : past.open, pending: null };
  if (side === null || side === past.side) return known;
  if (past.side === null) return { ...known, side };
  const pending = { side, count: past.pending?.side === side ? past.pending.count + 1 : 1 };
  if (pending.count < rules.confirm) return { ...known, pending };
  const cooling = past.toldAt !== null && at - past.toldAt < rules.cooldown;
  return cooling ? { ...known, side, open: null } : { ...known, side, open: { side, at }, toldAt: at };
}
