import type { Clock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';

/** At once, after a pause of as many seconds. */
const burst = 60;

/**
 * How often each hook may be called: 60 times at once, and once a second in the long run. Each process counts for itself; what
 * comes in is bounded by what may wait.
 */
export function createPaces(steady: Clock) {
  /** By hook: when the first of its turns that was taken is free again, in steady ms. */
  const full = new Map<string, number>();
  return {
    /** 0: it is its turn. Otherwise ms to wait. */
    take(id: string): number {
      const now = steady.now();
      const until = Math.max(full.get(id) ?? 0, now) + second;
      const over = until - now - burst * second;
      if (over > 0) return over;
      full.delete(id);
      full.set(id, until);
      // Those that have their turns again need not be remembered.
      for (const [other, free] of full) {
        if (free > now) break;
        full.delete(other);
      }
      return 0;
    },
  };
}
