import { second } from '../../runtime/units.ts';

/** What was spent when, ms: in whole seconds, each rounded up to its end. */
export type Spent = readonly (readonly [at: number, cost: number])[];

export interface Quota {
  /**
   * Spends `cost` and returns 0, or says how many ms to wait and spends nothing.
   * `share` of the limit is what the caller may fill: history leaves the rest to the present.
   */
  take(cost: number, given: { readonly now: number; readonly share: number }): number;
  /** What the exchange says was used in the window: others at this address spend from the same limit. */
  observe(used: number, now: number): void;
  /** What is spent of the window, for the next process. */
  spent(now: number): Spent;
}

/**
 * At most `limit` within any `per` ms: a rolling window, which is never looser than the exchange's fixed one.
 * `before`: what an earlier process spent.
 */
export function rollingQuota(
  limit: number,
  { per, before = [] }: { readonly per: number; readonly before?: Spent | undefined },
): Quota {
  const spent: { readonly at: number; readonly cost: number }[] = [];
  /** The same by the end of its second: asked for before each request. */
  const bySecond = new Map<number, number>();
  let used = 0;
  const add = (cost: number, at: number) => {
    const end = Math.ceil(at / second) * second;
    const sum = (bySecond.get(end) ?? 0) + cost;
    if (sum === 0) bySecond.delete(end);
    else bySecond.set(end, sum);
    used += cost;
  };
  const forget = (now: number) => {
    for (let first = spent[0]; first !== undefined && first.at <= now - per; first = spent[0]) {
      add(-first.cost, first.at);
      spent.shift();
    }
  };
  const spend = (cost: number, at: number) => {
    spent.push({ at, cost });
    add(cost, at);
  };
  for (const [at, cost] of before) spend(cost, at);
  return {
    take(cost, { now, share }) {
      forget(now);
      // A request dearer than the share passes alone: it would wait for ever.
      const allowed = Math.max(limit * share, cost);
      if (used + cost <= allowed) {
        spend(cost, now);
        return 0;
      }
      let excess = used + cost - allowed;
      for (const entry of spent) {
        excess -= entry.cost;
        if (excess <= 0) return Math.max(1, entry.at + per - now);
      }
      return per;
    },
    observe(reported, now) {
      forget(now);
      if (reported > used) spend(reported - used, now);
    },
    spent(now) {
      forget(now);
      return [...bySecond];
    },
  };
}
