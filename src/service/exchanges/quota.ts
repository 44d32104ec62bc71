import { Bucket } from '../../runtime/bucket.ts';
import { second } from '../../runtime/units.ts';

/** Costs by time: each entry is the end of a second, ms, and the cost spent in that second. */
type SpentCosts = readonly (readonly [at: number, cost: number])[];

export interface Quota {
  /**
   * Spends `cost` and returns 0, or spends nothing and returns how many ms to wait.
   * `share` is the part of the limit that the caller may fill: history leaves the rest to requests about the present.
   */
  take(cost: number, given: { readonly now: number; readonly share: number }): number;
  /** Records the use that the exchange reports for the window: other clients at this IP address share the limit. */
  observe(used: number, now: number): void;
  /** Returns what was spent in the current window, to be stored for the next process. */
  costsBySecond(now: number): SpentCosts;
}

/**
 * Allows at most `limit` within any `per` ms. This rolling window is never looser than the exchange's fixed window.
 * @param before what an earlier process spent
 */
export function rollingQuota(
  limit: number,
  { per, before = [] }: { readonly per: number; readonly before?: SpentCosts | undefined },
): Quota {
  const bucket = new Bucket(per);
  for (const [at, cost] of before) bucket.add(at, { cost });
  /** Costs in the future were spent before our clock was put back. How long ago is not known, so they count from now on. */
  const correctFuture = (now: number) => {
    const uses = bucket.uses(now);
    // An earlier process rounded its times up to whole seconds.
    if ((uses.at(-1)?.at ?? now) <= now + second) return;
    for (const use of uses.filter(({ at }) => at > now)) {
      bucket.remove(use);
      bucket.add(now, use);
    }
  };
  return {
    take(cost, { now, share }) {
      correctFuture(now);
      const wait = bucket.wait(now, { max: limit * share, cost });
      if (wait === 0) bucket.add(now, { cost });
      return wait;
    },
    observe(reported, now) {
      correctFuture(now);
      const missing = reported - bucket.uses(now).reduce((sum, { cost }) => sum + cost, 0);
      if (missing > 0) bucket.add(now, { cost: missing });
    },
    costsBySecond(now) {
      const bySecond = new Map<number, number>();
      for (const { at, cost } of bucket.uses(now)) {
        const end = Math.ceil(at / second) * second;
        bySecond.set(end, (bySecond.get(end) ?? 0) + cost);
      }
      return [...bySecond];
    },
  };
}
