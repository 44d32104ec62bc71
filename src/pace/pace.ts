import type { WallClock } from '../runtime/clock.ts';

/** At most `max` in any window of `per` ms. */
export interface Limit {
  readonly per: number;
  readonly max: number;
}

/** Who goes first: a person who waits for an answer, then what cannot wait, then news, then corrections. */
export const lanes = ['answer', 'urgent', 'routine', 'edit'] as const;
export type Lane = (typeof lanes)[number];

/** Leave for one request. */
export interface Turn {
  /** Nothing was sent after all: another may have it. */
  back(): void;
}

/** Turns at a platform, one for each bot token, shared by everything that sends with it. */
export interface Pace {
  /**
   * Resolves when one more request may be sent to the address: the first lane first, but answers take every third turn
   * at most while something else could have it, of all turns as of an address's own: who asks much holds up no alert.
   * Within a lane the address that has waited longest for a turn goes first, so that one's backlog starves no other;
   * for an address it is the order of asking. One that must wait holds up no other. Rejects with the signal's reason.
   */
  take(address: string, given: { readonly lane: Lane; readonly signal: AbortSignal }): Promise<Turn>;
  /** Ms until the address by itself may have one more in that lane, whatever all others are let; 0: now. */
  wait(address: string, lane: Lane): number;
  /** The platform said so: nothing to the address (undefined: nothing at all) for `ms`. */
  block(address: string | undefined, ms: number): void;
  /**
   * A request begun at `begun` may have reached the platform as late as `reached` (ms of the pace's clock): all together are
   * counted from there, so that what was held up on its way and arrives at once is not too much.
   */
  delayed(begun: number, reached: number): void;
}

export interface PaceLimits {
  /** Where there are several, all of them hold: one that spreads what another allows, say. */
  readonly total?: Limit | readonly Limit[] | undefined;
  readonly perAddress?: readonly AddressLimit[] | undefined;
}

export interface AddressLimit extends Limit {
  /** It is for some addresses only (Telegram's groups). */
  readonly only?: (address: string) => boolean;
  /** Of `max`, what answers may use: the rest of a long window is kept for an alert that is yet to come. */
  readonly answers?: number;
}

/** Half would double what a broadcast takes, and anything beside it would make that more. */
const forEachAnswer = 2;

/** Addresses remembered at most: beyond it the longest unused is forgotten. */
const addressesKept = 10_000;

/** Ends the rest until the next look. The default reason is made anew each time, with its stack: each turn would cost one. */
const looked = new Error('it is looked at now');

interface Waiter {
  readonly address: string;
  readonly lane: Lane;
  readonly granted: PromiseWithResolvers<Turn>;
}

/** @param wall its `now` goes on evenly: a clock that is set would let too much through, or nothing */
export function createPace(limits: PaceLimits, wall: WallClock): Pace {
  const total = new Gate([limits.total ?? []].flat());
  const gates = new Map<string, Gate>();
  const waiting: Record<Lane, Waiter[]> = { answer: [], urgent: [], routine: [], edit: [] };
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
    for (;;) {
      const all = total.wait(now);
      if (all > 0) return all;
      let soonest = Number.POSITIVE_INFINITY;
      let next: Waiter | undefined;
      for (const lane of total.owed > 0 ? [...lanes.slice(1), ...lanes.slice(0, 1)] : lanes) {
        const found = nextOf(lane, now);
        if (typeof found === 'object') {
          next = found;
          break;
        }
        soonest = Math.min(soonest, found);
      }
      if (next === undefined) return soonest;
      const { address, lane } = next;
      const gate = gateOf(address);
      const uses = [total, gate].map((each) => each.use(now, lane));
      gate.turn = ++turns;
      leave(next);
      next.granted.resolve({
        back() {
          for (const giveBack of uses) giveBack();
          look();
        },
      });
    }
  };

  /** Of those that may go now, the one whose address had its last turn longest ago; else the wall ms until one may. */
  const nextOf = (lane: Lane, now: number): Waiter | number => {
    let soonest = Number.POSITIVE_INFINITY;
    let best: { readonly waiter: Waiter; readonly gate: Gate } | undefined;
    for (const first of waiting[lane]) {
      const gate = gateOf(first.address);
      if (best !== undefined && gate.turn >= best.gate.turn) continue;
      const waiter = lane === 'answer' && gate.owed > 0 ? (otherAt(first.address) ?? first) : first;
      const own = gate.wait(now, waiter.lane);
      if (own > 0) soonest = Math.min(soonest, own);
      else best = { waiter, gate };
      if (best?.gate.turn === 0) break;
    }
    return best?.waiter ?? soonest;
  };

  /** What is no answer and waits for the address. */
  const otherAt = (address: string): Waiter | undefined => {
    for (const lane of lanes) {
      const found = lane === 'answer' ? undefined : waiting[lane].find((each) => each.address === address);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const leave = (waiter: Waiter): void => {
    const queue = waiting[waiter.lane];
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
  };

  const look = () => {
    alarm?.abort(looked);
    const next = grant();
    if (next === Number.POSITIVE_INFINITY) return;
    alarm = new AbortController();
    wall.sleep(next, alarm.signal).then(look, () => {});
  };

  return {
    async take(address, { lane, signal }) {
      signal.throwIfAborted();
      const waiter: Waiter = { address, lane, granted: Promise.withResolvers() };
      const giveUp = () => {
        leave(waiter);
        waiter.granted.reject(signal.reason);
      };
      waiting[lane].push(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
      look();
      return waiter.granted.promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
    wait: (address, lane) => gateOf(address).wait(wall.now(), lane),
    block(address, ms) {
      const gate = address === undefined ? total : gateOf(address);
      gate.block(wall.now() + ms);
      look();
    },
    delayed: (begun, reached) => total.delay(begun, reached),
  };
}

interface Used {
  readonly at: number;
  readonly open: boolean;
  readonly answer: boolean;
}

/** Sliding windows rather than buckets: platforms that count by a sliding second refuse a bucket's burst. */
class Gate {
  /** The number of its last turn among all; 0 before the first. */
  turn = 0;
  /** Turns that others have before the next answer, where any wait. */
  owed = 0;
  readonly #limits: readonly AddressLimit[];
  /** By time; `open` until it is known how late it arrived. */
  readonly #used: Used[] = [];
  readonly #kept: number;
  readonly #longest: number;
  #blockedUntil = 0;

  constructor(limits: readonly AddressLimit[]) {
    this.#limits = limits;
    this.#kept = Math.max(0, ...limits.map(({ max }) => max));
    this.#longest = Math.max(0, ...limits.map(({ per }) => per));
  }

  /** Milliseconds until one more fits, in that lane. */
  wait(now: number, lane?: Lane): number {
    while (this.#used[0] !== undefined && this.#used[0].at <= now - this.#longest) this.#used.shift();
    const answers = lane === 'answer' ? this.#used.filter(({ answer }) => answer) : [];
    const until = (
      used: readonly Used[],
      { max, per }: { readonly max: number; readonly per: number },
    ): number => {
      const first = used[used.length - max];
      return first === undefined ? 0 : first.at + per - now;
    };
    const windows = this.#limits.map((limit) => {
      const { per, max } = limit;
      const own = lane === 'answer' ? limit.answers : undefined;
      return Math.max(
        until(this.#used, { max, per }),
        own === undefined ? 0 : until(answers, { max: own, per }),
      );
    });
    return Math.max(0, this.#blockedUntil - now, ...windows);
  }

  /** @returns gives it back, unused */
  use(now: number, lane: Lane): () => void {
    const answer = lane === 'answer';
    this.owed = answer ? forEachAnswer : this.owed - 1;
    if (this.#kept === 0) return () => {};
    const used: Used = { at: now, open: true, answer };
    this.#used.push(used);
    if (this.#used.length > this.#kept) this.#used.shift();
    return () => {
      const index = this.#used.indexOf(used);
      if (index >= 0) this.#used.splice(index, 1);
    };
  }

  delay(begun: number, reached: number): void {
    // Which turn it had is not told: they are begun in the order in which they were granted.
    const turn = this.#used.findIndex(({ at, open }) => open && at <= begun);
    if (turn < 0) return;
    const [granted] = this.#used.splice(turn, 1);
    const at = Math.max(reached, granted?.at ?? 0);
    const after = this.#used.findLastIndex((other) => other.at <= at) + 1;
    this.#used.splice(after, 0, { at, open: false, answer: granted?.answer ?? false });
  }

  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }
}
