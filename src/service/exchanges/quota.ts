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
  const entries: { readonly at: number; readonly cost: number }[] = [];
  /** The same costs summed by the end of their second. Kept up to date because it is read before each request. */
  const bySecond = new Map<number, number>();
  let used = 0;
  const add = (cost: number, at: number) => {
    const end = Math.ceil(at / second) * second;
    const sum = (bySecond.get(end) ?? 0) + cost;
    if (sum === 0) bySecond.delete(end);
    else bySecond.set(end, sum);
    used += cost;
  };
  const dropExpired = (now: number) => {
    for (let first = entries[0]; first !== undefined && first.at <= now - per; first = entries[0]) {
      add(-first.cost, first.at);
      entries.shift();
    }
  };
  const spend = (cost: number, at: number) => {
    entries.push({ at, cost });
    add(cost, at);
  };
  /** Costs in the future were spent before our clock was put back. How long ago is not known, so they count from now on. */
  const correctFuture = (now: number) => {
    // An earlier process rounded its times up to whole seconds.
    if ((entries.at(-1)?.at ?? now) <= now + second) return;
    for (const { at, cost } of entries.splice(0)) {
      add(-cost, at);
      spend(cost, Math.min(at, now));
    }
  };
  for (const [at, cost] of before) spend(cost, at);
  return {
    take(cost, { now, share }) {
      correctFuture(now);
      dropExpired(now);
      // A request that costs more than the share may pass when nothing else is spent: else it would wait for ever.
      const allowed = Math.max(limit * share, cost);
      if (used + cost <= allowed) {
        spend(cost, now);
        return 0;
      }
      let excess = used + cost - allowed;
      for (const entry of entries) {
        excess -= entry.cost;
        if (excess <= 0) return Math.max(1, entry.at + per - now);
      }
      return per;
    },
    observe(reported, now) {
      correctFuture(now);
      dropExpired(now);
      if (reported > used) spend(reported - used, now);
    },
    costsBySecond(now) {
      dropExpired(now);
      return [...bySecond];
    },
  };
}
