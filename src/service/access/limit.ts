import ipaddr from 'ipaddr.js';
import { Bucket } from '../../runtime/bucket.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import { minute } from '../../runtime/units.ts';

/** How many requests may pass in any window of `window` ms. */
export interface RequestLimits {
  readonly window: number;
  /** For one client address without a key. */
  readonly anonymous: number;
  /** For one key without a limit of its own, and for all sessions of one account together. */
  readonly key: number;
}

/** The interface's limit for anonymous requests. The interface sets none for keys: 20 times as much is our choice. */
export const interfaceLimits: RequestLimits = { window: 15 * minute, anonymous: 300, key: 6_000 };

/** The most pools remembered, a few kB each. Beyond it the pool unused for the longest is forgotten, and so starts anew. */
const maxPools = 10_000;

/** Creates a limiter with a rolling window: at most `max` requests pass in any `per` ms, wherever these begin. */
export function createLimiter(per: number) {
  const pools = new RecentMap<string, Bucket>(maxPools);
  return {
    /**
     * Counts one request of a pool at `now` (ms of a clock that never jumps back) if fewer than `max` passed in the window
     * that ends then. Returns 0 if the request passes, else the ms to wait. A request that does not pass is not counted.
     */
    take(pool: string, { max, now }: { readonly max: number; readonly now: number }): number {
      if (max === Number.POSITIVE_INFINITY) return 0;
      const passed = pools.get(pool) ?? new Bucket(per);
      pools.set(pool, passed);
      const wait = passed.wait(now, { max });
      if (wait === 0) passed.add(now);
      return wait;
    },
    /** Forgets all requests counted for the pool. */
    forget: (pool: string): void => void pools.delete(pool),
  };
}

/** Returns the client that an address counts for: the IPv4 address itself, or the IPv6 /64, which usually has one holder. */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
