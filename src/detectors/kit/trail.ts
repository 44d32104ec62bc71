import { z } from 'zod';

/** The latest values of what a detector judges by, for its chart: [data time in ms, value], oldest first. JSON. */
export const trail = z.array(z.tuple([z.number(), z.number()]));
export type Trail = z.output<typeof trail>;

/** How finely a trail is kept, ms, and how many of its values. */
export interface Spacing {
  readonly every: number;
  readonly most: number;
  /** How far back it goes, ms. Left out: as far as so many values do. */
  readonly reach?: number;
}

/** With one more value: `shown` at its own time, and `kept` of each `every` ms the latest alone, at its beginning. */
export function extended(
  past: Trail = [],
  { trace: [at, value], spacing }: { readonly trace: readonly [number, number]; readonly spacing: Spacing },
): Record<'shown' | 'kept', Trail> {
  const { every, most, reach = every * most } = spacing;
  const slot = Math.floor(at / every) * every;
  // Oldest first: what goes stands at its ends.
  let [first, next] = [0, past.length];
  while (first < next && (past[first]?.[0] ?? 0) <= at - reach) first += 1;
  while (next > first && (past[next - 1]?.[0] ?? 0) >= slot) next -= 1;
  const before = past.slice(first, next);
  const kept: Trail = [...before, [slot, value]];
  return { shown: [...before, [at, value]], kept: kept.slice(-most) };
}
