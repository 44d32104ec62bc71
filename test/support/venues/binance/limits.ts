import type { Clock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';

interface Refused {
  readonly status: 418 | 429;
  readonly body: unknown;
}

/** The exchange's record of one IP address: how much it has used, and whether it is banned. */
interface AddressAccount {
  /** Counts a request. Returns the refusal if the request is beyond the limit, else undefined. */
  spend(path: string, weight: number): Refused | undefined;
  /** Returns the weight used in this minute, or undefined for paths whose responses have no header for it. */
  used(path: string): number | undefined;
}

/** How many refusals in one pool's window are allowed before the address is banned. */
const maxRefusals = 10;
const firstBan = 2 * minute;
const weightPool = { limit: 2_400, per: minute };
const dataPool = { limit: 1_000, per: 5 * minute };
const fundingPool = { limit: 500, per: 5 * minute };

/**
 * Simulates Binance's limits per IP address (developers.binance.com): weight per minute of the clock, and separate limits of
 * /futures/data, and of fundingRate and fundingInfo together, whose use no header reports. A client that continues after 429
 * is banned. The end of the ban is given in the body ("until"), without Retry-After, and every request during a ban doubles
 * the time that is left.
 */
export function createLimits(wall: Clock): AddressAccount {
  const pools = [weightPool, dataPool, fundingPool].map((pool) => ({
    ...pool,
    requests: [] as { at: number; cost: number }[],
    refused: 0,
  }));
  const [weights, data, funding] = pools;
  let bannedUntil = 0;

  const poolOf = (path: string) => {
    if (path.startsWith('/futures/data/')) return data;
    if (path === '/fapi/v1/fundingRate' || path === '/fapi/v1/fundingInfo') return funding;
    return path.startsWith('/fapi/') ? weights : undefined;
  };
  const sum = (requests: readonly { cost: number }[]) =>
    requests.reduce((total, { cost }) => total + cost, 0);
  const usedWeight = (pool: (typeof pools)[number], now: number) => {
    const from = pool === weights ? Math.floor(now / minute) * minute : now - pool.per + 1;
    const firstKept = pool.requests.findIndex(({ at }) => at >= from);
    pool.requests.splice(0, firstKept < 0 ? pool.requests.length : firstKept);
    if (pool.requests.length === 0) pool.refused = 0;
    return sum(pool.requests);
  };
  const banRefusal = (): Refused => {
    const msg = `Way too many requests; IP(127.0.0.1) banned until ${bannedUntil}. Please use the websocket for live updates to avoid bans.`;
    return { status: 418, body: { code: -1003, msg } };
  };

  return {
    spend(path, weight) {
      const pool = poolOf(path);
      if (pool === undefined) return undefined;
      const now = wall.now();
      if (bannedUntil > now) {
        bannedUntil += Math.max(second, bannedUntil - now);
        return banRefusal();
      }
      const used = usedWeight(pool, now);
      pool.requests.push({ at: now, cost: weight });
      if (used + weight <= pool.limit) return undefined;
      pool.refused += 1;
      if (pool.refused > maxRefusals) {
        bannedUntil = now + firstBan;
        return banRefusal();
      }
      const msg = 'Too many requests; current limit of IP(127.0.0.1) is exceeded.';
      return { status: 429, body: { code: -1003, msg } };
    },
    used: (path) =>
      poolOf(path) === weights && weights !== undefined ? usedWeight(weights, wall.now()) : undefined,
  };
}
