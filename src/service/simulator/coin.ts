import { type Factor, type HourPart, spanOf } from './factor.ts';
import type { SimulatedListing } from './listings.ts';
import { keyOf, normal, uniform } from './random.ts';

/** What happens suddenly within one hour of one coin. */
export interface Burst {
  /** The part of the hour's log return that comes within `span`. */
  readonly shock: number;
  /** Change of the log of open interest within `span`. */
  readonly step: number;
  readonly span: HourPart;
}

/** One coin's hours, accumulated lazily from the genesis. Hours are counted since the epoch. */
export interface Coin {
  readonly listing: SimulatedListing;
  readonly key: number;
  readonly genesis: number;
  /** Log price at the start of the hour. */
  log(hour: number): number;
  /** Deviation of its ordinary hourly return. */
  sigma(hour: number): number;
  /** Premium of the perpetual that funding is made of, basis points, at the start of the hour. */
  premium(hour: number): number;
  /** Log of open interest relative to its usual level, at the start of the hour. */
  openInterest(hour: number): number;
  burst(hour: number): Burst | undefined;
}

export interface CoinOptions {
  readonly seed: number;
  readonly listing: SimulatedListing;
  readonly factor: Factor;
  /** Recorded log returns; without them the coin moves by its beta and of its own. */
  readonly returns?: (hour: number) => number;
}

/**
 * Deviations and levels are chosen by eye against real coins; only two are measured on real settlements: the
 * premium's resting level, so that about 41 % settle at exactly the interest rate, and the rate of overheating.
 */
export function createCoin({ seed, listing, factor, returns }: CoinOptions): Coin {
  const key = keyOf(seed, listing.symbol);
  const { beta, rank } = listing;
  const ownSigma = rank === 0 ? 0.0008 : 0.0025 + 0.0035 * Math.min(1, rank / 40);
  const bursts = new Map<number, Burst>();
  // From the genesis to a little after where npm start begins.
  let capacity = 26_000;
  let logs = new Float64Array(capacity);
  let sigmas = new Float32Array(capacity);
  let premiums = new Float32Array(capacity);
  let interests = new Float32Array(capacity);
  let filled = 0;

  let log = Math.log(listing.price);
  let own = 0;
  let volatility = 0;
  let trend = 0;
  let mood = 0;
  let heat = 0;
  let interest = 0;

  const grow = () => {
    capacity = Math.ceil(capacity * 1.25);
    const longer = <Values extends Float64Array | Float32Array>(to: Values, from: Values) => {
      to.set(from);
      return to;
    };
    logs = longer(new Float64Array(capacity), logs);
    sigmas = longer(new Float32Array(capacity), sigmas);
    premiums = longer(new Float32Array(capacity), premiums);
    interests = longer(new Float32Array(capacity), interests);
  };

  /** The hour's return and the part of it that is a shock. */
  const move = (at: number, deviation: number): { ret: number; shock: number } => {
    if (returns !== undefined) return { ret: returns(at), shock: factor.shock(at) };
    const jumps = rank > 0 && uniform(key, at, 1) < 1 / 250;
    const side = uniform(key, at, 2) < 0.5 + 0.2 * Math.tanh(trend) ? 1 : -1;
    const jump = jumps ? side * deviation * (5 + 6 * uniform(key, at, 3)) : 0;
    const next = 0.9992 * own + deviation * normal(key, at, 4) + jump;
    const ret = beta * factor.ret(at) + next - own;
    own = next;
    if (jumps) volatility += 0.4;
    return { ret, shock: beta * factor.shock(at) + jump };
  };

  /** Longs crowd in, longs (or shorts) are thrown out: where open interest moves at once. */
  // biome-ignore lint/complexity/useMaxParams: drawn for every value of the market
  const leverage = (at: number, shock: number, sigma: number): number => {
    if (Math.abs(shock) > 2.5 * sigma) return -Math.min(0.3, (0.9 + uniform(key, at, 5)) * Math.abs(shock));
    if (uniform(key, at, 6) < 1 / 300) return 0.035 + 0.06 * uniform(key, at, 7);
    return uniform(key, at, 8) < 1 / 700 ? -0.035 - 0.05 * uniform(key, at, 9) : 0;
  };

  const step = (at: number) => {
    const deviation = ownSigma * Math.exp(volatility);
    const sigma =
      returns === undefined
        ? Math.sqrt((beta * factor.sigma(at)) ** 2 + deviation * deviation)
        : factor.sigma(at);
    logs[filled] = log;
    sigmas[filled] = sigma;
    premiums[filled] = -4.6 + 2.1 * Math.tanh(trend) + 1.8 * mood + heat;
    interests[filled] = interest;
    filled += 1;

    const { ret, shock } = move(at, deviation);
    const leveraged = leverage(at, shock, sigma);
    if (shock !== 0 || leveraged !== 0) {
      const common = factor.shock(at) !== 0;
      bursts.set(at, { shock, step: leveraged, span: common ? factor.span(at) : spanOf(key, at) });
    }
    log += ret;
    volatility = 0.98 * volatility + 0.08 * normal(key, at, 10);
    trend = 0.985 * trend + (0.17 * ret) / sigma;
    mood = 0.94 * mood + 0.34 * normal(key, at, 11);
    const kick =
      uniform(key, at, 12) < 1 / 190 ? (8 + 34 * uniform(key, at, 13) ** 2) * (trend < -0.5 ? -1 : 1) : 0;
    const shared = factor.heat(at) * Math.max(0, 2.6 * uniform(key, at, 14) - 1.2);
    heat = (leveraged < 0 ? 0.35 : 0.92) * heat + kick + shared;
    interest = 0.995 * interest + 0.0015 * normal(key, at, 15) + 0.0006 * Math.tanh(trend) + leveraged;
  };

  /** Index of the hour in the arrays; before the genesis it is the genesis. */
  const reach = (at: number): number => {
    const index = Math.max(0, at - factor.genesis);
    while (filled <= index) {
      if (filled === capacity) grow();
      step(factor.genesis + filled);
    }
    return index;
  };

  return {
    listing,
    key,
    genesis: factor.genesis,
    log: (at) => logs[reach(at)] ?? 0,
    sigma: (at) => sigmas[reach(at)] ?? 0,
    premium: (at) => premiums[reach(at)] ?? 0,
    openInterest: (at) => interests[reach(at)] ?? 0,
    burst: (at) => {
      reach(at);
      return bursts.get(at);
    },
  };
}
