import type { Clock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';

/** How many calls a hook accepts at once, as many as come when many things fail together. */
const burst = 600;
/** After how long a call becomes available again. */
const interval = second / 10;

/**
 * Limits how often each hook may be called: 600 times at once, and ten times a second in the long run. Each process counts
 * by itself; the total is bounded by how many messages may wait.
 */
export function createPaces(steady: Clock) {
  /** For each hook: when all of its calls are available again, steady ms. */
  const fullAtByHook = new Map<string, number>();
  return {
    /** Takes a call. Returns 0 if it is allowed, otherwise the ms to wait. */
    take(id: string): number {
      const now = steady.now();
      const fullAt = Math.max(fullAtByHook.get(id) ?? 0, now) + interval;
      const wait = fullAt - now - burst * interval;
      if (wait > 0) return wait;
      fullAtByHook.delete(id);
      fullAtByHook.set(id, fullAt);
      // Hooks whose calls are all available again are removed.
      for (const [other, otherFullAt] of fullAtByHook) {
        if (otherFullAt > now) break;
        fullAtByHook.delete(other);
      }
      return 0;
    },
  };
}
