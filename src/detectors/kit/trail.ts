import { z } from 'zod';

/** The latest values that a detector has judged, for its chart: [data time in ms, value], oldest first. JSON. */
export const trail = z.array(z.tuple([z.number(), z.number()]));
export type Trail = z.output<typeof trail>;

/** How densely a trail is kept: one value for each `interval` ms, at most `maxValues` values. */
export interface Spacing {
  readonly interval: number;
  readonly maxValues: number;
  /** How far back the trail goes, ms. Left out: `interval` × `maxValues`. */
  readonly reach?: number;
}

const reachOf = ({ interval, maxValues, reach = interval * maxValues }: Spacing): number => reach;

/**
 * Returns the trail with one more value: `shown`, for the chart, at its own time; `kept`, for the state, with only the
 * latest value of each slot of `interval` ms, at the start of the slot.
 */
export function extendTrail(
  past: Trail = [],
  { trace: [at, value], spacing }: { readonly trace: readonly [number, number]; readonly spacing: Spacing },
): Record<'shown' | 'kept', Trail> {
  const { interval, maxValues } = spacing;
  const reach = reachOf(spacing);
  const slot = Math.floor(at / interval) * interval;
  // The trail is oldest first, so that the values to drop are at its two ends.
  let [first, next] = [0, past.length];
  while (first < next && (past[first]?.[0] ?? 0) <= at - reach) first += 1;
  while (next > first && (past[next - 1]?.[0] ?? 0) >= slot) next -= 1;
  const before = past.slice(first, next);
  const kept: Trail = [...before, [slot, value]];
  return { shown: [...before, [at, value]], kept: kept.slice(-maxValues) };
}

/** Deletes the trails that have no value within their reach at `at`. */
export function deleteOldTrails(trails: Record<string, Trail>, at: number, spacing: Spacing): void {
  const oldest = at - reachOf(spacing);
  for (const [key, past] of Object.entries(trails))
    if ((past.at(-1)?.[0] ?? oldest) <= oldest) delete trails[key];
}
