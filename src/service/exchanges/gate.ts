import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { parseWait } from '../../runtime/retry-after.ts';
import { hour, minute } from '../../runtime/units.ts';
import { longestPause, pausedError, refusalOf, type UpstreamRefusal, upstreamRefusal } from './failure.ts';
import { type Quota, rollingQuota, type SpentCosts } from './quota.ts';
import type { Reply } from './transport.ts';

/** One limit of an upstream, counted separately from its other limits. */
export interface Pool {
  readonly name: string;
  /** Whether requests to the path count against this limit. */
  readonly covers: (path: string) => boolean;
  /** The total cost of requests allowed within `per` ms. */
  readonly limit: number;
  readonly per: number;
  /** Response header that states how much was used in the window by all clients at this IP address. */
  readonly usedHeader?: string;
}

/** State of one upstream that outlives the process: pauses and used-up limits, as JSON. */
export interface Memory {
  /** The state stored last, possibly by another version of the program. */
  readonly storedState: unknown;
  store(state: unknown): Promise<void>;
}

export const noMemory: Memory = { storedState: undefined, store: async () => {} };

export interface RequestCost {
  /** How much the request takes from each pool that covers its path. Absent: 1. */
  readonly cost?: number;
  /** True for requests about the present, which may use a larger share of the limit than requests for history. */
  readonly urgent?: boolean | undefined;
}

/** Of a limit in its own window, all requests together: history leaves the rest to those about the present. */
const historyShare = 0.8;
const presentShare = 0.95;
/** Of a limit over an hour, all requests together: a past that takes hours uses what the present leaves of it. */
const hourlyShare = 0.58;
/** Over how long it is measured what the present uses, ms: longer than any of its rounds but those of funding and listings. */
const presentWindow = 20 * minute;

const spentCosts = z.array(z.tuple([z.number(), z.number()]));
const state = z.object({
  /** The upstream's URL and our proxy: the state is discarded if either changes, because other addresses have other limits. */
  of: z.string(),
  rest: upstreamRefusal.nullable(),
  pools: z.record(
    z.string(),
    z.object({ rest: upstreamRefusal.nullable(), spent: spentCosts, past: spentCosts, present: spentCosts }),
  ),
});
type State = z.output<typeof state>;

interface CountedPool extends Pool {
  readonly quota: Quota;
  /** What history has spent over an hour, and what the present has over its window. */
  readonly past: Quota;
  readonly present: Quota;
  pause: UpstreamRefusal | null;
}

/** Returns how much of each pool a stored state says was spent in its window. */
export const spentByPool = (storedState: unknown): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(state.safeParse(storedState).data?.pools ?? {}).map(([name, { spent }]) => [
      name,
      spent.reduce((sum, [, cost]) => sum + cost, 0),
    ]),
  );

/**
 * Opens a gate that keeps an upstream's limits across restarts. Every request calls `pass` first and `throwIfPaused` at the moment
 * at which it is sent; every response is given to `check`. The cost of a request is stored before the request is sent,
 * so that after a kill the next process knows of every request that the exchange has counted.
 * @param identity the upstream's URL and the proxy used, which identify the stored state
 */
export function openGate(
  identity: string,
  options: {
    readonly pools: readonly Pool[];
    readonly memory: Memory;
    readonly wall: WallClock;
    readonly signal: AbortSignal;
  },
) {
  const { memory, wall, signal } = options;
  const parsedState = state.safeParse(memory.storedState);
  const previous: State | undefined = parsedState.data?.of === identity ? parsedState.data : undefined;
  let upstreamPause: UpstreamRefusal | null = previous?.rest ?? null;
  const pools = options.pools.map((pool): CountedPool => {
    const previousPool = previous?.pools[pool.name];
    const over = (per: number, before: SpentCosts | undefined) =>
      rollingQuota((pool.limit * per) / pool.per, { per, before, isCoarse: true });
    return {
      ...pool,
      quota: rollingQuota(pool.limit, { per: pool.per, before: previousPool?.spent }),
      past: over(hour, previousPool?.past),
      present: over(presentWindow, previousPool?.present),
      pause: previousPool?.rest ?? null,
    };
  });
  const poolsFor = (path: string) => pools.filter(({ covers }) => covers(path));

  let writing: Promise<void> = Promise.resolve();
  let nextWrite: Promise<void> | undefined;
  /**
   * Stores the state. Requests made at the same time share one write. A failed write blocks no request, because this
   * process still has the state in memory.
   */
  function storeState(): Promise<void> {
    nextWrite ??= writing.then(() => {
      nextWrite = undefined;
      const now = wall.now();
      const current: State = {
        of: identity,
        rest: upstreamPause,
        pools: Object.fromEntries(
          pools.map(({ name, pause: rest, quota, past, present }) => [
            name,
            {
              rest,
              spent: quota.costs(now),
              past: past.costs(now),
              present: present.costs(now),
            },
          ]),
        ),
      };
      writing = memory.store(current).catch(() => {});
      return writing;
    });
    return nextWrite;
  }

  /** @throws ApiError while the upstream or one of the path's pools is paused */
  function throwIfPaused(endpoint: string, path: string): void {
    const now = wall.now();
    for (const pause of [upstreamPause, ...poolsFor(path).map((pool) => pool.pause)]) {
      // A pause that was noted by a clock far ahead has an end that is not known: it is over.
      if (pause !== null && pause.until > now && pause.until <= now + longestPause)
        throw pausedError(endpoint, { ...pause, now });
    }
  }

  return {
    throwIfPaused,

    /** Waits until the limits allow the request. @throws ApiError while the upstream or one of the path's pools is paused */
    async pass(endpoint: string, path: string, { cost = 1, urgent = false }: RequestCost): Promise<void> {
      throwIfPaused(endpoint, path);
      const coveringPools = poolsFor(path);
      for (const { quota, past, present, per } of coveringPools) {
        const takeTurn = async (take: (now: number) => number) => {
          for (let wait = take(wall.now()); wait > 0; wait = take(wall.now())) {
            await wall.sleep(Math.min(wait, per), signal);
            // Another request may have been refused meanwhile.
            throwIfPaused(endpoint, path);
          }
        };
        if (urgent) present.take(cost, { now: wall.now(), share: Number.POSITIVE_INFINITY });
        else
          await takeTurn((now) =>
            past.take(cost, { now, share: Math.max(0, hourlyShare - present.used(now)) }),
          );
        await takeTurn((now) => quota.take(cost, { now, share: urgent ? presentShare : historyShare }));
      }
      if (coveringPools.length > 0) await storeState();
      throwIfPaused(endpoint, path);
    },

    /** Looks for a refusal in a response. @throws ApiError if it is one; the requests it concerns are then paused */
    async check(endpoint: string, path: string, { status, headers, text }: Reply): Promise<void> {
      const now = wall.now();
      for (const { usedHeader, quota } of poolsFor(path)) {
        const used = usedHeader === undefined ? Number.NaN : Number(headers[usedHeader]);
        if (Number.isFinite(used)) quota.observe(used, now);
      }
      const defaultPause = Math.max(minute, ...poolsFor(path).map(({ per }) => per));
      const retryAfter = parseWait(headers['retry-after'], now);
      const newRefusal = refusalOf({ status, body: text, retryAfter }, { now, defaultPause });
      if (newRefusal === undefined) return;
      const laterRefusal = (one: UpstreamRefusal | null) =>
        one !== null && one.until > newRefusal.until ? one : newRefusal;
      const coveringPools = poolsFor(path);
      if (newRefusal.whole || coveringPools.length === 0) upstreamPause = laterRefusal(upstreamPause);
      else for (const pool of coveringPools) pool.pause = laterRefusal(pool.pause);
      await storeState();
      throw pausedError(endpoint, { ...newRefusal, now });
    },
  };
}
