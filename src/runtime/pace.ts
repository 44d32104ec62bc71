import { Bucket } from './bucket.ts';
import type { WallClock } from './clock.ts';
import { RecentMap } from './recent-map.ts';

/** At most `max` in any window of `per` ms. */
export interface Limit {
  readonly per: number;
  readonly max: number;
}

/** Priorities, highest first: answers to people, urgent posts, other new posts, edits of earlier posts, boards. */
export const lanes = ['answer', 'urgent', 'routine', 'edit', 'board'] as const;
export type Lane = (typeof lanes)[number];

/** Permission to send one request. */
export interface Turn {
  /** Returns the turn unused, because no request was sent; another caller may use it. */
  giveBack(): void;
}

/** The rate limiter of a platform. Everything that sends with the same bot token shares one. */
export interface Pace {
  /**
   * Resolves when one more request may be sent to the address. Lanes are served in their order, with one exception: while
   * requests of other lanes wait, answers take at most every third turn, both of all turns and of the turns of one
   * address, so that a person who asks a lot delays no alert. Within a lane the address whose last turn is longest ago
   * goes first, so that the backlog of one address does not starve the others; the requests of one address are served in
   * the order of the calls. A request that must wait does not delay requests to other addresses. Rejects with the
   * signal's reason.
   */
  take(address: string, given: { readonly lane: Lane; readonly signal: AbortSignal }): Promise<Turn>;
  /** Returns the ms until the address's own limits allow one more request in that lane; 0: now. Ignores the total limits. */
  wait(address: string, lane: Lane): number;
  /** Blocks requests to the address (undefined: all requests) for `ms`, because the platform asked for a pause. */
  block(address: string | undefined, ms: number): void;
  /**
   * Reports that a request that began at `begun` may have reached the platform as late as `reached` (ms of the pace's
   * clock). The total limits then count the request from `reached`, so that delayed requests that arrive together with
   * later ones do not exceed the platform's limit.
   */
  reportDelay(begun: number, reached: number): void;
}

export interface PaceLimits {
  /** Limits on all requests together. If there are several, all of them apply: a shorter window can spread out the requests. */
  readonly total?: Limit | readonly Limit[] | undefined;
  /**
   * Spreads out the requests: at most `max` in each `per` ms, counted from multiples of `per`. In a window that rolls, each
   * timer that fires late would delay all later requests, which costs a share of the pace where `total` is hardly slower.
   */
  readonly spread?: Limit | undefined;
  readonly perAddress?: readonly AddressLimit[] | undefined;
}

export interface AddressLimit extends Limit {
  /** Tells whether the limit applies to an address (Telegram's groups, for example); absent: to every address. */
  readonly appliesTo?: (address: string) => boolean;
  /** How many of `max` answers may use. In a long window, the rest is reserved for alerts that are still to come. */
  readonly maxAnswers?: number;
}

/** Turns for other lanes after each answer. With 1, answers would take half of the turns and a broadcast twice as long. */
const turnsPerAnswer = 2;

/** Maximum number of addresses remembered; beyond it the least recently used address is forgotten. */
const maxAddresses = 10_000;

/** Abort reason for the sleep until the next turn. Without it, each abort would create a new error with a stack trace. */
const rescheduled = new Error('it is looked at now');

interface Waiter {
  readonly address: string;
  readonly lane: Lane;
  readonly granted: PromiseWithResolvers<Turn>;
}

/** @param wall its `now` must never jump: if that clock were set, the pace would let too many requests through, or none */
export function createPace(limits: PaceLimits, wall: WallClock): Pace {
  const total = new Gate([limits.total ?? []].flat());
  const spread = new Steps(limits.spread);
  const gates = new RecentMap<string, Gate>(maxAddresses);
  const waiting: Record<Lane, Waiter[]> = { answer: [], urgent: [], routine: [], edit: [], board: [] };
  let turns = 0;
  let pendingSleep: AbortController | undefined;

  const gateOf = (address: string): Gate => {
    const addressLimits = (limits.perAddress ?? []).filter(({ appliesTo }) => appliesTo?.(address) ?? true);
    const gate = gates.get(address) ?? new Gate(addressLimits);
    gates.set(address, gate);
    return gate;
  };

  /** Grants all turns that are possible now. Returns the wall ms until the next turn is possible. */
  const grant = (): number => {
    const now = wall.now();
    for (;;) {
      const totalWait = Math.max(total.wait(now), spread.wait(now));
      if (totalWait > 0) return totalWait;
      let shortestWait = Number.POSITIVE_INFINITY;
      let next: Waiter | undefined;
      for (const lane of total.turnsBeforeAnswer > 0 ? [...lanes.slice(1), ...lanes.slice(0, 1)] : lanes) {
        const found = nextWaiter(lane, now);
        if (typeof found === 'object') {
          next = found;
          break;
        }
        shortestWait = Math.min(shortestWait, found);
      }
      if (next === undefined) return shortestWait;
      const { address, lane } = next;
      const gate = gateOf(address);
      const uses = [total.use(now, lane), gate.use(now, lane), spread.use()];
      gate.turn = ++turns;
      removeWaiter(next);
      next.granted.resolve({
        giveBack() {
          for (const giveBack of uses) giveBack();
          schedule();
        },
      });
    }
  };

  /** Returns the waiter that may go now and whose address had its last turn longest ago; else the wall ms until one may go. */
  const nextWaiter = (lane: Lane, now: number): Waiter | number => {
    let shortestWait = Number.POSITIVE_INFINITY;
    let best: { readonly waiter: Waiter; readonly gate: Gate } | undefined;
    for (const first of waiting[lane]) {
      const gate = gateOf(first.address);
      if (best !== undefined && gate.turn >= best.gate.turn) continue;
      const waiter =
        lane === 'answer' && gate.turnsBeforeAnswer > 0 ? (nonAnswerWaiter(first.address) ?? first) : first;
      const addressWait = gate.wait(now, waiter.lane);
      if (addressWait > 0) shortestWait = Math.min(shortestWait, addressWait);
      else best = { waiter, gate };
      if (best?.gate.turn === 0) break;
    }
    return best?.waiter ?? shortestWait;
  };

  /** Returns the first waiter for the address that is not in the `answer` lane. */
  const nonAnswerWaiter = (address: string): Waiter | undefined => {
    for (const lane of lanes) {
      const found = lane === 'answer' ? undefined : waiting[lane].find((each) => each.address === address);
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const removeWaiter = (waiter: Waiter): void => {
    const queue = waiting[waiter.lane];
    const index = queue.indexOf(waiter);
    if (index >= 0) queue.splice(index, 1);
  };

  const schedule = () => {
    pendingSleep?.abort(rescheduled);
    const next = grant();
    if (next === Number.POSITIVE_INFINITY) return;
    pendingSleep = new AbortController();
    wall.sleep(next, pendingSleep.signal).then(schedule, () => {});
  };

  return {
    async take(address, { lane, signal }) {
      signal.throwIfAborted();
      const waiter: Waiter = { address, lane, granted: Promise.withResolvers() };
      const giveUp = () => {
        removeWaiter(waiter);
        waiter.granted.reject(signal.reason);
      };
      waiting[lane].push(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
      schedule();
      return waiter.granted.promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
    wait: (address, lane) => gateOf(address).wait(wall.now(), lane),
    block(address, ms) {
      const gate = address === undefined ? total : gateOf(address);
      gate.block(wall.now() + ms);
      schedule();
    },
    reportDelay: (begun, reached) => total.delay(begun, reached),
  };
}

/** Counts the requests in each step of time, from one multiple of `per` to the next. */
class Steps {
  readonly #limit: Limit | undefined;
  #step = Number.NEGATIVE_INFINITY;
  #used = 0;

  constructor(limit: Limit | undefined) {
    this.#limit = limit;
  }

  /** Returns the milliseconds until one more request fits. */
  wait(now: number): number {
    if (this.#limit === undefined) return 0;
    const { per, max } = this.#limit;
    const step = Math.floor(now / per);
    if (step > this.#step) [this.#step, this.#used] = [step, 0];
    return this.#used < max ? 0 : (this.#step + 1) * per - now;
  }

  /** @returns a function that returns the turn unused */
  use(): () => void {
    this.#used += 1;
    const step = this.#step;
    return () => {
      if (this.#step === step) this.#used -= 1;
    };
  }
}

/** The limits of one address, or of all requests together. */
class Gate {
  /** The sequence number, among all turns, of this gate's last turn; 0 before the first. */
  turn = 0;
  /** Number of turns that other lanes get before the next answer, if any of their requests wait. */
  turnsBeforeAnswer = 0;
  readonly #limits: readonly AddressLimit[];
  readonly #used: Bucket<Lane>;
  /** Uses of which it is known when the request arrived. */
  readonly #arrived = new WeakSet<object>();
  #blockedUntil = 0;

  constructor(limits: readonly AddressLimit[]) {
    this.#limits = limits;
    this.#used = new Bucket(Math.max(0, ...limits.map(({ per }) => per)));
  }

  /** Returns the milliseconds until one more request fits, in that lane. */
  wait(now: number, lane?: Lane): number {
    const windows = this.#limits.map(({ per, max, maxAnswers }) =>
      Math.max(
        this.#used.wait(now, { per, max }),
        lane === 'answer' && maxAnswers !== undefined
          ? this.#used.wait(now, { per, max: maxAnswers, lane })
          : 0,
      ),
    );
    return Math.max(0, this.#blockedUntil - now, ...windows);
  }

  /** Uses one turn. @returns a function that returns the turn unused */
  use(now: number, lane: Lane): () => void {
    this.turnsBeforeAnswer = lane === 'answer' ? turnsPerAnswer : this.turnsBeforeAnswer - 1;
    if (this.#limits.length === 0) return () => {};
    const used = this.#used.add(now, { lane });
    return () => this.#used.remove(used);
  }

  delay(begun: number, reached: number): void {
    // The caller does not say which turn the request used: the newest one before it began. An older one may belong to a
    // request that is never answered, which would otherwise be counted again and again.
    const used = this.#used.uses(begun).findLast((use) => use.at <= begun && !this.#arrived.has(use));
    if (used === undefined) return;
    this.#used.remove(used);
    this.#arrived.add(this.#used.add(Math.max(reached, used.at), used));
  }

  block(until: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, until);
  }
}
