import ipaddr from 'ipaddr.js';
import { minute } from '../../runtime/units.ts';

/** Requests in any window of `window` ms. */
export interface RequestLimits {
  readonly window: number;
  /** Of one client address without a key. */
  readonly anonymous: number;
  /** Of one key without a number of its own, and of one account's sessions. */
  readonly key: number;
}

/** What the interface says of anonymous requests; of keys it says nothing, and 20 times as much is ours. */
export const interfaceLimits: RequestLimits = { window: 15 * minute, anonymous: 300, key: 6_000 };

/** Pools remembered at once, a few kB each; past it the one longest unused is forgotten, and so begins anew. */
const remembered = 10_000;

export interface Limiter {
  /**
   * Counts one request of a pool at `now` ms, a clock that never jumps back, if fewer than `max` passed in the window
   * that ends there. Returns ms to wait, 0 where it passed. One that did not pass is not counted.
   */
  take(pool: string, given: { readonly max: number; readonly now: number }): number;
  /** What the pool has taken is given back. */
  forget(pool: string): void;
}

/** A rolling window of `per` ms: in none of them do more than `max` pass, wherever it begins. */
export function createLimiter(per: number): Limiter {
  const pools = new Map<string, number[]>();
  return {
    take(pool, { max, now }) {
      if (max === Number.POSITIVE_INFINITY) return 0;
      const passed = pools.get(pool) ?? [];
      pools.delete(pool);
      pools.set(pool, passed);
      if (pools.size > remembered) pools.delete(pools.keys().next().value ?? '');
      // The oldest that still counts; those before it are dropped together, as moving the rest costs.
      const oldest = passed.at(-max);
      if (oldest !== undefined && now < oldest + per) return oldest + per - now;
      if (passed.length >= 2 * max) passed.splice(0, passed.length - max);
      passed.push(now);
      return 0;
    },
    forget: (pool) => void pools.delete(pool),
  };
}

/** One IPv4 address, or one IPv6 /64: whoever holds one address of a /64 usually holds all of them. */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? `${parsed.parts.slice(0, 4).join(':')}/64` : parsed.toString();
}
