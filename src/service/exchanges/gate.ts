import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';
import { refusalOf, restError, retryAfterOf, type UpstreamRefusal } from './failure.ts';
import { type Quota, rollingQuota } from './quota.ts';

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
  readonly recalled: unknown;
  keep(state: unknown): Promise<void>;
}

export const forgetful: Memory = { recalled: undefined, keep: async () => {} };

export interface Price {
  /** How much the request takes from each pool that covers its path. Absent: 1. */
  readonly cost?: number;
  /** True for requests about the present, which may use a larger share of the limit than requests for history. */
  readonly urgent?: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Enforces the limits of one upstream. Every request calls `pass` first, and every response is given to `check`. */
export interface Gate {
  /** Waits until the limits allow the request. @throws ApiError while the upstream or one of the path's pools is paused */
  pass(endpoint: string, given: { readonly path: string; readonly price: Price }): Promise<void>;
  /** Looks for a refusal in a response. @throws ApiError if it is one; the requests it concerns are then paused */
  check(endpoint: string, given: { readonly path: string; readonly answer: Answer }): Promise<void>;
}

const historyShare = 0.7;
const presentShare = 0.95;

const refusal: z.ZodType<UpstreamRefusal> = z.object({
  whole: z.boolean(),
  until: z.number(),
  reason: z.enum(['rate_limited', 'unauthorized']),
  why: z.string(),
});
const state = z.object({
  /** The upstream's URL and our proxy: the state is discarded if either changes, because other addresses have other limits. */
  of: z.string(),
  rest: refusal.nullable(),
  pools: z.record(
    z.string(),
    z.object({ rest: refusal.nullable(), spent: z.array(z.tuple([z.number(), z.number()])) }),
  ),
});
type State = z.output<typeof state>;

interface Counted extends Pool {
  readonly quota: Quota;
  rest: UpstreamRefusal | null;
}

/**
 * Opens a gate that keeps an upstream's limits across restarts. The cost of a request is stored before the request is sent,
 * so that after a kill the next process knows of every request that the exchange has counted.
 * @param of the upstream's URL and the proxy used, which identify the stored state
 */
export function openGate(
  of: string,
  options: {
    readonly pools: readonly Pool[];
    readonly memory: Memory;
    readonly wall: WallClock;
    readonly signal: AbortSignal;
  },
): Gate {
  const { memory, wall, signal } = options;
  const recalled = state.safeParse(memory.recalled);
  const before: State | undefined = recalled.data?.of === of ? recalled.data : undefined;
  let rest: UpstreamRefusal | null = before?.rest ?? null;
  const pools = options.pools.map((pool): Counted => {
    const kept = before?.pools[pool.name];
    return {
      ...pool,
      quota: rollingQuota(pool.limit, { per: pool.per, before: kept?.spent }),
      rest: kept?.rest ?? null,
    };
  });
  const covering = (path: string) => pools.filter(({ covers }) => covers(path));

  let keeping: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  /**
   * Stores the state. Requests made at the same time share one write. A failed write blocks no request, because this
   * process still has the state in memory.
   */
  function keep(): Promise<void> {
    next ??= keeping.then(() => {
      next = undefined;
      const now = wall.now();
      const kept: State = {
        of,
        rest,
        pools: Object.fromEntries(
          pools.map(({ name, rest, quota }) => [
            name,
            { rest, spent: quota.spent(now).map(([...entry]) => entry) },
          ]),
        ),
      };
      keeping = memory.keep(kept).catch(() => {});
      return keeping;
    });
    return next;
  }

  function mayDisturb(endpoint: string, path: string): void {
    const now = wall.now();
    for (const resting of [rest, ...covering(path).map((pool) => pool.rest)]) {
      if (resting !== null && resting.until > now) throw restError(endpoint, { ...resting, now });
    }
  }

  return {
    async pass(endpoint, { path, price: { cost = 1, urgent = false } }) {
      mayDisturb(endpoint, path);
      const spending = covering(path);
      for (const { quota } of spending) {
        for (;;) {
          const wait = quota.take(cost, { now: wall.now(), share: urgent ? presentShare : historyShare });
          if (wait === 0) break;
          await wall.sleep(wait, signal);
          // Another request may have been refused meanwhile.
          mayDisturb(endpoint, path);
        }
      }
      if (spending.length > 0) await keep();
      mayDisturb(endpoint, path);
    },

    async check(endpoint, { path, answer: { status, headers, text } }) {
      const now = wall.now();
      for (const { usedHeader, quota } of covering(path)) {
        const used = usedHeader === undefined ? Number.NaN : Number(headers[usedHeader]);
        if (Number.isFinite(used)) quota.observe(used, now);
      }
      const usual = Math.max(minute, ...covering(path).map(({ per }) => per));
      const retryAfter = retryAfterOf(headers['retry-after'], now);
      const refused = refusalOf({ status, body: text, retryAfter }, { now, usual });
      if (refused === undefined) return;
      const longer = (one: UpstreamRefusal | null) =>
        one !== null && one.until > refused.until ? one : refused;
      const spent = covering(path);
      if (refused.whole || spent.length === 0) rest = longer(rest);
      else for (const pool of spent) pool.rest = longer(pool.rest);
      await keep();
      throw restError(endpoint, { ...refused, now });
    },
  };
}
