import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';
import { refusalOf, restError, retryAfterOf, type UpstreamRefusal } from './failure.ts';
import { type Quota, rollingQuota } from './quota.ts';

/** One limit of an upstream, counted by itself. */
export interface Pool {
  readonly name: string;
  /** Which paths spend from it. */
  readonly covers: (path: string) => boolean;
  /** What may be spent within `per` ms. */
  readonly limit: number;
  readonly per: number;
  /** Of an answer: what was used in the window by everyone at this address. */
  readonly usedHeader?: string;
}

/** What survives the process: rests and what was spent, as JSON. */
export interface Memory {
  /** What was kept last, by whatever version. */
  readonly recalled: unknown;
  keep(state: unknown): Promise<void>;
}

export const forgetful: Memory = { recalled: undefined, keep: async () => {} };

export interface Price {
  /** Of the pools that cover the path; 1 if not said. */
  readonly cost?: number;
  /** The present is asked for before the past: only then may the whole limit be spent. */
  readonly urgent?: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Stands before one upstream: every request passes it, every answer is shown to it. */
export interface Gate {
  /** Waits for its turn. @throws ApiError while the upstream, or the path's pool of it, rests */
  pass(endpoint: string, given: { readonly path: string; readonly price: Price }): Promise<void>;
  /** @throws ApiError where it is a refusal: from now on nothing passes that it concerns */
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
  /** Another address of the upstream, or of ours, has other limits. */
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
 * The limits of one upstream across restarts: what is spent is kept before it is spent, so that a process that is
 * killed has told the exchange of no request that the next one does not know.
 * @param of who is asked, and from where
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
  /** Those who spend at the same time wait for one write. One that fails stops nobody: there is still this process. */
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
          // Others may have been refused meanwhile.
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
