import { z } from 'zod';
import { type Factor, type HourPart, spanOf } from './factor.ts';
import type { SimulatedListing } from './listings.ts';
import { drift, hashAt, keyOf, normalFrom, uniformFrom } from './random.ts';

/** A sudden change within one hour of one coin. */
interface Burst {
  /** The part of the hour's log return that happens within `span`. */
  readonly shock: number;
  /** The change of the log of open interest within `span`. */
  readonly step: number;
  readonly span: HourPart;
}

/** One coin's values by hour, each hour computed from the one before it. Hours are counted since the epoch. */
export interface Coin {
  readonly listing: SimulatedListing;
  readonly key: number;
  readonly genesis: number;
  /** Returns the log price at the start of the hour. */
  log(hour: number): number;
  /** Returns the standard deviation of the coin's hourly log return, shocks aside. */
  sigma(hour: number): number;
  /** Returns the perpetual's premium, on which funding is based, at the start of the hour, basis points. */
  premium(hour: number): number;
  /** Returns the log of open interest relative to its usual level, at the start of the hour. */
  openInterest(hour: number): number;
  burst(hour: number): Burst | undefined;
  /** Returns the states from which the hours from some weeks before `hour` on are computed; undefined: they need none. */
  statesAt(hour: number): CoinStates | undefined;
  /** Takes states of the same coin. The hours before them are computed only when one of those is read. */
  resume(states: CoinStates): void;
}

interface CoinOptions {
  readonly seed: number;
  readonly listing: SimulatedListing;
  readonly factor: Factor;
  /**
   * True: each stretch of hours is computed from a state of its own and bent to meet the next one, so that no hour needs those
   * before it. Absent: each hour follows from the one before it, from the genesis on.
   */
  readonly broken?: boolean;
  /** Recorded hourly log returns. Absent: the coin follows the market factor by its beta and adds movements of its own. */
  readonly returns?: (hour: number) => number;
}

/** State of a coin at the start of an hour, from which the next hour is computed. */
const coinState = z.object({
  log: z.number(),
  own: z.number(),
  volatility: z.number(),
  trend: z.number(),
  mood: z.number(),
  heat: z.number(),
  interest: z.number(),
});
type CoinState = z.infer<typeof coinState>;

/** The states at the starts of consecutive stretches, beginning with the stretch `first`. They survive JSON unchanged. */
export const coinStates = z.object({ first: z.int().min(0), states: z.array(coinState) });
type CoinStates = z.infer<typeof coinStates>;

/** Number of hours in a stretch: three weeks. */
const stretch = 512;
/** Of coins whose stretches do not follow from each other: of most only the present is read. */
const brokenStretch = 128;

/** The computed values of the consecutive hours of a stretch. */
interface Stretch {
  readonly logs: Float64Array;
  readonly sigmas: Float32Array;
  readonly premiums: Float32Array;
  readonly interests: Float32Array;
  readonly bursts: Map<number, Burst>;
}

/**
 * How many stretches of a coin are cached, about 10 kB each. The past is mostly read once in order, and a stretch that is
 * needed again is computed again from the coin's state at its start. Three years of all stretches would take half a
 * megabyte for each of a hundred coins.
 */
const maxCachedStretches = 4;

/** How many stretches before the present one can be read without computing a coin from its first hour, after a restart. */
const resumedStretches = 2;

/** Computes an hour: advances the coin's state to the next one and, if a stretch is given, writes the hour into it. */
type Step = (state: CoinState, at: number, into: Stretch | undefined) => void;

/** Gives the stretches of hours, whose indexes are counted from the genesis. */
interface Stretches {
  of(index: number): Stretch;
  statesAt(index: number): CoinStates | undefined;
  resume(states: CoinStates): void;
}

/** Bends the prices and the open interest of a stretch that ends at `end` so that it meets the state at the start of the next one. */
function bend({ logs, interests }: Stretch, end: CoinState, next: CoinState): void {
  for (let index = 0; index < logs.length; index += 1) {
    const part = index / logs.length;
    logs[index] = (logs[index] as number) + part * (next.log - end.log);
    interests[index] = (interests[index] as number) + part * (next.interest - end.interest);
  }
}

/** @param start the state at the genesis; or, for stretches that do not follow from each other, gives that of each by its number */
function createStretches(
  { genesis, length }: { readonly genesis: number; readonly length: number },
  start: CoinState | ((number: number) => CoinState),
  step: Step,
): Stretches {
  const startOf = typeof start === 'function' ? start : undefined;
  /** The known states at the starts of stretches, by the stretch's number. */
  const startStates = new Map(typeof start === 'function' ? [] : [[0, start]]);
  /** Cached stretches by their number, the most recently used last. */
  const cached = new Map<number, Stretch>();

  /** Computes a stretch hour by hour and keeps the state at its end. The hours themselves are kept only in `into`. */
  const pass = (number: number, into?: Stretch) => {
    const state = { ...(startOf?.(number) ?? (startStates.get(number) as CoinState)) };
    const begin = genesis + number * length;
    for (let at = begin; at < begin + length; at += 1) step(state, at, into);
    if (startOf === undefined) startStates.set(number + 1, state);
    else if (into !== undefined) bend(into, state, startOf(number + 1));
  };
  const make = (number: number): Stretch => {
    let known = number;
    while (startOf === undefined && !startStates.has(known)) known -= 1;
    for (; known < number; known += 1) pass(known);
    const made: Stretch = {
      logs: new Float64Array(length),
      sigmas: new Float32Array(length),
      premiums: new Float32Array(length),
      interests: new Float32Array(length),
      bursts: new Map(),
    };
    pass(number, made);
    return made;
  };

  let latestNumber = -1;
  let latestStretch: Stretch;
  const of = (index: number): Stretch => {
    const number = Math.floor(index / length);
    if (number === latestNumber) return latestStretch;
    latestStretch = cached.get(number) ?? make(number);
    latestNumber = number;
    cached.delete(number);
    cached.set(number, latestStretch);
    if (cached.size > maxCachedStretches) cached.delete(cached.keys().next().value ?? 0);
    return latestStretch;
  };
  return {
    of,
    statesAt(index) {
      if (startOf !== undefined) return undefined;
      of(index);
      const number = Math.floor(index / length);
      let first = number;
      while (first > 0 && first > number - resumedStretches && startStates.has(first - 1)) first -= 1;
      const states = Array.from({ length: number - first + 1 }, (_, offset) =>
        startStates.get(first + offset),
      );
      return { first, states: states as CoinState[] };
    },
    resume({ first, states }) {
      for (const [offset, state] of states.entries()) startStates.set(first + offset, state);
    },
  };
}

/**
 * Creates a coin. Its standard deviations and levels are chosen by eye to resemble real coins. Only two numbers are fitted to
 * real settlements: the usual level of the premium, so that about 41 % of settlements are at exactly the interest rate, and
 * how often the premium overheats.
 */
export function createCoin({ seed, listing, factor, returns, broken = false }: CoinOptions): Coin {
  const key = keyOf(seed, listing.symbol);
  const length = broken ? brokenStretch : stretch;
  const { beta, rank, kind } = listing;
  const ownSigma =
    rank === 0 ? 0.0008 : kind !== undefined ? 0.0018 : 0.0025 + 0.0035 * Math.min(1, rank / 40);

  const sideOf = ({ trend }: CoinState, hash: number): 1 | -1 =>
    uniformFrom(hash, 2) < 0.5 + 0.2 * Math.tanh(trend) ? 1 : -1;

  /** Computes the hour's log return and the part of it that is a shock. */
  const move = (
    state: CoinState,
    { at, hash, deviation }: { readonly at: number; readonly hash: number; readonly deviation: number },
  ): { ret: number; shock: number } => {
    if (returns !== undefined) return { ret: returns(at), shock: factor.shock(at) };
    const jumps = rank > 0 && uniformFrom(hash, 1) < 1 / 250;
    const jump = jumps ? sideOf(state, hash) * deviation * (5 + 6 * uniformFrom(hash, 3)) : 0;
    const next = 0.9992 * state.own + deviation * normalFrom(hash, 4) + jump;
    const ret = beta * factor.ret(at) + next - state.own;
    state.own = next;
    if (jumps) state.volatility += 0.4;
    return { ret, shock: beta * factor.shock(at) + jump };
  };

  /** Computes the hour's sudden change of open interest: positions are opened, or are closed by force. */
  const openInterestJump = (hash: number, shock: number, sigma: number): number => {
    if (Math.abs(shock) > 2.5 * sigma) return -Math.min(0.3, (0.9 + uniformFrom(hash, 5)) * Math.abs(shock));
    if (uniformFrom(hash, 6) < 1 / 300) return 0.035 + 0.06 * uniformFrom(hash, 7);
    return uniformFrom(hash, 8) < 1 / 700 ? -0.035 - 0.05 * uniformFrom(hash, 9) : 0;
  };

  const step: Step = (state, at, into) => {
    // Behind 30 coins lie a million hours, each with about a dozen draws.
    const hash = hashAt(key, at);
    const deviation = ownSigma * Math.exp(state.volatility);
    const sigma =
      returns === undefined
        ? Math.sqrt((beta * factor.sigma(at)) ** 2 + deviation * deviation)
        : factor.sigma(at);
    if (into !== undefined) {
      const index = (at - factor.genesis) % length;
      into.logs[index] = state.log;
      into.sigmas[index] = sigma;
      into.premiums[index] = -4.6 + 2.1 * Math.tanh(state.trend) + 1.8 * state.mood + state.heat;
      into.interests[index] = state.interest;
    }

    const { ret, shock } = move(state, { at, hash, deviation });
    const leveraged = openInterestJump(hash, shock, sigma);
    if (into !== undefined && (shock !== 0 || leveraged !== 0)) {
      const common = factor.shock(at) !== 0;
      into.bursts.set(at, { shock, step: leveraged, span: common ? factor.span(at) : spanOf(key, at) });
    }
    state.log += ret;
    state.volatility = 0.98 * state.volatility + 0.08 * normalFrom(hash, 10);
    state.trend = 0.985 * state.trend + (0.17 * ret) / sigma;
    state.mood = 0.94 * state.mood + 0.34 * normalFrom(hash, 11);
    const kick =
      uniformFrom(hash, 12) < 1 / 190
        ? (8 + 34 * uniformFrom(hash, 13) ** 2) * (state.trend < -0.5 ? -1 : 1)
        : 0;
    const heat = factor.heat(at);
    const shared = heat === 0 ? 0 : heat * Math.max(0, 2.6 * uniformFrom(hash, 14) - 1.2);
    state.heat = (leveraged < 0 ? 0.35 : 0.92) * state.heat + kick + shared;
    state.interest =
      0.995 * state.interest + 0.0015 * normalFrom(hash, 15) + 0.0006 * Math.tanh(state.trend) + leveraged;
  };

  const first = {
    log: Math.log(listing.price),
    own: 0,
    volatility: 0,
    trend: 0,
    mood: 0,
    heat: 0,
    interest: 0,
  };
  const startOf = (number: number): CoinState => ({
    ...first,
    log: first.log + 0.3 * drift(key, number * length, 6 * stretch, 17),
  });
  const stretches = createStretches({ genesis: factor.genesis, length }, broken ? startOf : first, step);
  /** Returns the index of an hour. Hours before the genesis have the genesis's index. */
  const indexOf = (at: number): number => Math.max(0, at - factor.genesis);
  const read = (column: 'logs' | 'sigmas' | 'premiums' | 'interests', at: number): number => {
    const index = indexOf(at);
    return stretches.of(index)[column][index % length] ?? 0;
  };

  return {
    listing,
    key,
    genesis: factor.genesis,
    log: (at) => read('logs', at),
    sigma: (at) => read('sigmas', at),
    premium: (at) => read('premiums', at),
    openInterest: (at) => read('interests', at),
    burst: (at) => stretches.of(indexOf(at)).bursts.get(at),
    statesAt: (at) => stretches.statesAt(indexOf(at)),
    resume: stretches.resume,
  };
}
