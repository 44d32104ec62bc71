import type { WallClock } from '../runtime/clock.ts';

/** At most `max` in any window of `per` ms. */
export interface Limit {
  readonly per: number;
  readonly max: number;
}

/** Who goes first: a person who waits for an answer, then what cannot wait, then news, then corrections. */
export const lanes = ['answer', 'urgent', 'routine', 'edit'] as const;
export type Lane = (typeof lanes)[number];

/** Turns at a platform, one for each bot token, shared by everything that sends with it. */
export interface Pace {
  /**
   * Resolves when one more request may be sent to the address: the first lane first; within a lane the address that
   * has waited longest for a turn, so that one's backlog starves no other; for an address in the order of asking. One
   * that must wait holds up no other. Rejects with the signal's reason.
   */
  take(address: string, lane: Lane, signal: AbortSignal): Promise<void>;
  /** The platform said so: nothing to the address (undefined: nothing at all) for `ms`. */
  block(address: string | undefined, ms: number): void;
  /**
   * A request begun at `begun` may have reached the platform as late as `reached` (wall ms): all together are
   * counted from there, so that what was held up on its way and arrives at once is not too much.
   */
  delayed(begun: number, reached: number): void;
}

export interface PaceLimits {
  /** Where there are several, all of them hold: one that spreads what another allows, say. */
  readonly total?: Limit | readonly Limit[] | undefined;
  /** Each may be for some addresses only (Telegram's groups). */
  readonly perAddress?: readonly (Limit & { readonly only?: (address: string) => boolean })[] | undefined;
}

/** Addresses remembered at most: beyond it the longest unused is forgotten. */
const addressesKept = 10_000;

interface Waiter {
  readonly address: string;
  readonly granted: PromiseWithResolvers<void>;
}

export function createPace(limits: PaceLimits, wall: WallClock): Pace {
  const total = new Gate([limits.total ?? []].flat());
  const gates = new Map<string, Gate>();
  const waiting = lanes.map((): Waiter[] => []);
  let turns = 0;
  let alarm: AbortController | undefined;

  const gateOf = (address: string): Gate => {
    const own = (limits.perAddress ?? []).filter(({ only }) => only?.(address) ?? true);
    const gate = gates.get(address) ?? new Gate(own);
    gates.delete(address);
    gates.set(address, gate);
    if (gates.size > addressesKept) gates.delete(gates.keys().next().value ?? '');
    return gate;
  };

  /** Grants what may go now; gives the wall ms until more may. */
  const grant = (): number => {
    const now = wall.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const lane of waiting) {
      while (lane.length > 0) {
        const all = total.wait(now);
        if (all > 0) return all;
        const next = nextOf(lane, now);
        if (typeof next === 'number') {
          soonest = Math.min(soonest, next);
          break;
        }
        total.use(now);
        next.gate.use(now);
        next.gate.turn = ++turns;
        lane.splice(next.index, 1);
        next.waiter.granted.resolve();
      }
    }
    return soonest;
  };

  /** Of those that may go now, the one whose address had its last turn longest ago; else the wall ms until one may. */
  const nextOf = (lane: readonly Waiter[], now: number) => {
    let soonest = Number.POSITIVE_INFINITY;
    let best: { readonly waiter: Waiter; readonly gate: Gate; readonly index: number } | undefined;
    for (const [index, waiter] of lane.entries()) {
      const gate = gateOf(waiter.address);
      if (best !== undefined && gate.turn >= best.gate.turn) continue;
      const own = gate.wait(now);
      if (own > 0) soonest = Math.min(soonest, own);
      else best = { waiter, gate, index };
      if (best?.gate.turn === 0) break;
    }
    return best ?? soonest;
  };

  const look = () => {
    alarm?.abort();
    const next = grant();
    if (next === Number.POSITIVE_INFINITY) return;
    alarm = new AbortController();
    wall.sleep(next, alarm.signal).then(look, () => {});
  };

  return {
    async take(address, lane, signal) {
      signal.throwIfAborted();
      const queue = waiting[lanes.indexOf(lane)] as Waiter[];
      const waiter: Waiter = { address, granted: Promise.withResolvers() };
      const leave = () => {
        const index = queue.indexOf(waiter);
        if (index >= 0) queue.splice(index, 1);
        waiter.granted.reject(signal.reason);
      };
      queue.push(waiter);
      signal.addEventListener('abort', leave, { once: true });
      look();
      await waiter.granted.promise.finally(() => signal.removeEventListener('abort', leave));
    },
    block(address, ms) {
      const gate = address === undefined ? total : gateOf(address);
      gate.block(wall.now() + ms);
      look();
    },
    delayed: (begun, reached) => total.delay(begun, reached),
  };
}

/** Sliding windows rather than buckets: platforms that count by a sliding second refuse a bucket's burst. */
class Gate {
  /** The number of its last turn among all; 0 before the first. */
  turn = 0;
  readonly #limits: readonly Limit[];
  /** By time; `open` until it is known how late it arrived. */
  readonly #used: { readonly at: number; readonly open: boolean }[] = [];
  readonly #kept: number;
  readonly #longest: number;
  #blockedUntil = 0;

  constructor(limits: readonly Limit[]) {
    this.#limits = limits;
    this.#kept = Math.max(0, ...limits.map(({ max }) => max));
    this.#longest = Math.max(0, ...limits.map(({ per }) => per));
  }

  /** Milliseconds until one more fits. */
  wait(now: number): number {
    while (this.#used[0] !== undefined && this.#used[0].at <= now - this.#longest) this.#used.shift();
    const windows = this.#limits.map(({ per, max }) => {
      const first = this.#used[this.#used.length - max];
      return first === undefined ? 0 : first.at + per - now;
    });
    return Math.max(0, this.#blockedUntil - now, ...windows);
  }

  use(now: number): void {
    if (this.#kept === 0) return;
    this.#used.push({ at: now, open: true });
    if (this.#used.length > this.#kept) this.#used.shift();
  }

  delay(begun: number, reached: number): void {
    // Which turn it had is not told: they are begun in the order in which they were granted.
    const turn = this.#used.findIndex(({ at, open }) => open && at <= begun);
    if (turn < 0) return;
    const [granted] = this.#used.splice(turn, 1);
    const at = Math.max(reached, granted?.at ?? 0);
    this.#used.splice(this.#used.findLastIndex((other) => other.at <= at) + 1, 0, { at, open: false });
  }

  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }
}
