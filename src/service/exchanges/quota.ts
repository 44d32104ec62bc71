import { Bucket } from '../../runtime/bucket.ts';

/** Costs by time: each entry is the end of a part of the window, ms, and the cost spent in it. */
export type SpentCosts = [at: number, cost: number][];

export interface Quota {
  /**
   * Spends `cost` and returns 0, or spends nothing and returns how many ms to wait.
   * `share` is the part of the limit that the caller may fill: history leaves the rest to requests about the present.
   */
  take(cost: number, given: { readonly now: number; readonly share: number }): number;
  /** Returns the part of the limit that was spent in the current window. */
  used(now: number): number;
  /** Records the use that the exchange reports for the window: other clients at this IP address share the limit. */
  observe(used: number, now: number): void;
  /** Returns what was spent in the current window, to be stored for the next process. */
  costs(now: number): SpentCosts;
}

/** Into how many parts a window is divided in what is stored. */
const parts = 60;

/**
 * Allows at most `limit` within any `per` ms. This rolling window is never looser than the exchange's fixed window.
 * @param before what an earlier process spent
 * @param isCoarse whether only the part of the window is noted in which a cost was spent: for windows with thousands of them
 */
export function rollingQuota(
  limit: number,
  {
    per,
    before = [],
    isCoarse = false,
  }: {
    readonly per: number;
    readonly before?: SpentCosts | undefined;
    readonly isCoarse?: boolean;
  },
): Quota {
  const bucket = new Bucket(per);
  const part = per / parts;
  const endOf = (at: number) => Math.ceil(at / part) * part;
  for (const [at, cost] of before) bucket.add(at, { cost });
  const spend = (now: number, cost: number) => {
    const at = isCoarse ? endOf(now) : now;
    const last = isCoarse ? bucket.uses(now).at(-1) : undefined;
    if (last?.at === at) bucket.remove(last);
    bucket.add(at, { cost: cost + (last?.at === at ? last.cost : 0) });
  };
  /** Costs in the future were spent before our clock was put back. How long ago is not known, so they count from now on. */
  const correctFuture = (now: number) => {
    const uses = bucket.uses(now);
    // An earlier process rounded its times up to whole parts.
    if ((uses.at(-1)?.at ?? now) <= now + part) return;
    for (const use of uses.filter(({ at }) => at > now)) {
      bucket.remove(use);
      bucket.add(now, use);
    }
  };
  const spent = (now: number) => bucket.uses(now).reduce((sum, { cost }) => sum + cost, 0);
  return {
    used: (now) => spent(now) / limit,
    take(cost, { now, share }) {
      correctFuture(now);
      const wait = bucket.wait(now, { max: limit * share, cost });
      if (wait === 0) spend(now, cost);
      return wait;
    },
    observe(reported, now) {
      correctFuture(now);
      const missing = reported - spent(now);
      if (missing > 0) bucket.add(now, { cost: missing });
    },
    costs(now) {
      const byPart = new Map<number, number>();
      for (const { at, cost } of bucket.uses(now)) {
        byPart.set(endOf(at), (byPart.get(endOf(at)) ?? 0) + cost);
      }
      return [...byPart];
    },
  };
}
