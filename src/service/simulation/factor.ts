import { hour } from '../../runtime/units.ts';
import { keyOf, normal, uniform } from './random.ts';

/** The part of an hour in which a sudden change happens, as fractions of the hour. */
export interface HourPart {
  readonly from: number;
  readonly to: number;
}

/** The common movement of all coins, hour by hour. Hours are counted since the epoch. */
export interface Factor {
  /** The first hour of the market. */
  readonly genesis: number;
  /** Returns the log return of the whole hour, including its shock. */
  ret(hour: number): number;
  /** Returns the standard deviation of the log return, shocks aside. */
  sigma(hour: number): number;
  /** Returns the part of the log return that happens suddenly, within `span`. It is mostly 0. */
  shock(hour: number): number;
  span(hour: number): HourPart;
  /** Returns the extra premium that many coins get at the same time, basis points. It is mostly 0. */
  heat(hour: number): number;
}

/** Returns the span of a sudden change: 9 to 21 minutes somewhere in the hour. */
export const spanOf = (key: number, at: number): HourPart => {
  const from = 0.05 + 0.55 * uniform(key, at, 90);
  return { from, to: from + 0.15 + 0.2 * uniform(key, at, 91) };
};

/** The first hour of synthetic markets, so that any start after 2025-01 has two years of history before it. */
const syntheticGenesis = Date.parse('2023-01-01T00:00:00.000Z') / hour;

const calmSigma = 0.0042;

interface Segment {
  readonly state: -1 | 0 | 1;
  readonly from: number;
  readonly to: number;
  readonly anchor: number;
}

/**
 * Draws the next segment, a period of two to eight days in which the market rises, falls or moves sideways. The further the
 * level is from its start, the more likely the segment leads back.
 */
const nextSegment = (
  key: number,
  { from, level, last }: { readonly from: number; readonly level: number; readonly last: number },
): Segment => {
  const days = 2 + 6 * uniform(key, from, 1) ** 1.5;
  const up = 0.5 - 0.4 * Math.tanh(level / 0.7);
  const draw = uniform(key, from, 2);
  // A segment never continues the direction of the last one: the market pauses or turns.
  const state = last !== 0 && draw < 0.35 ? 0 : uniform(key, from, 3) < up ? 1 : -1;
  return { state: state === last ? 0 : state, from, to: from + Math.round(days * 24), anchor: level };
};

/** Draws the extra premium of an hour, basis points. */
const heatAt = (key: number, at: number): number => {
  if (uniform(key, at, 9) > 1 / 170) return 0;
  const size = 10 + 24 * uniform(key, at, 10);
  return uniform(key, at, 11) < 0.72 ? size : -size;
};

/** Creates the factor of a synthetic market: segments of several days, clustered volatility and jumps. */
export function syntheticFactor(seed: number): Factor {
  const key = keyOf(seed, 'market');
  const rets: number[] = [];
  const sigmas: number[] = [];
  const shocks: number[] = [];
  const heats: number[] = [];
  let segment: Segment = { state: 0, from: syntheticGenesis, to: syntheticGenesis, anchor: 0 };
  let level = 0;
  let volatility = 0;

  const step = (at: number) => {
    if (at >= segment.to) segment = nextSegment(key, { from: at, level, last: segment.state });
    const fresh = at - segment.from < 10 && segment.state !== 0;
    const sigma =
      calmSigma * Math.exp(volatility) * (segment.state < 0 ? 1.2 : segment.state === 0 ? 0.8 : 1);
    const jumps = uniform(key, at, 4) < (fresh ? 0.08 : segment.state === 0 ? 0.006 : 0.012);
    const along = uniform(key, at, 5) < 0.75 ? segment.state || 1 : -(segment.state || 1);
    const shock = jumps ? along * calmSigma * (3.5 + 6 * uniform(key, at, 6) ** 2) : 0;
    const pull =
      segment.state === 0
        ? 0.02 * (segment.anchor - level)
        : segment.state * (fresh ? 0.0022 : 0.0006) * (segment.state < 0 ? 1.15 : 1);
    const ret = pull + sigma * normal(key, at, 7) + shock;
    rets.push(ret);
    sigmas.push(sigma);
    shocks.push(shock);
    heats.push(heatAt(key, at));
    level += ret;
    volatility = 0.975 * volatility + 0.09 * normal(key, at, 8) + (jumps ? 0.5 : 0);
  };
  const stepTo = (at: number) => {
    for (let next = syntheticGenesis + rets.length; next <= at; next += 1) step(next);
    return at - syntheticGenesis;
  };

  return {
    genesis: syntheticGenesis,
    ret: (at) => rets[stepTo(at)] ?? 0,
    sigma: (at) => sigmas[stepTo(at)] ?? calmSigma,
    shock: (at) => shocks[stepTo(at)] ?? 0,
    span: (at) => spanOf(key, at),
    heat: (at) => heats[stepTo(at)] ?? 0,
  };
}

/**
 * Creates the factor of a recorded market from the returns of its leading coin. A return above four standard deviations
 * counts as a shock.
 */
export function recordedFactor(seed: number, genesis: number, returns: readonly number[]): Factor {
  const key = keyOf(seed, 'market');
  const sigmas: number[] = [];
  let variance = 0.006 ** 2;
  for (const ret of returns) {
    sigmas.push(Math.sqrt(variance));
    variance = 0.985 * variance + 0.015 * ret * ret;
  }
  const ret = (at: number) => returns[at - genesis] ?? 0;
  const sigma = (at: number) => sigmas[at - genesis] ?? Math.sqrt(variance);
  return {
    genesis,
    ret,
    sigma,
    shock: (at) => (Math.abs(ret(at)) > 4 * sigma(at) ? ret(at) : 0),
    span: (at) => spanOf(key, at),
    heat: () => 0,
  };
}
