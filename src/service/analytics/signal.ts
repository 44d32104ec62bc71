import { day, hour } from '../../runtime/units.ts';
import type { Candle, Ratio, SettledFunding } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { passed } from './derivation.ts';
import { clip, round, standardDeviation, zScore } from './statistics.ts';

/** Standard deviations from the coin's own normal; absent where its data is. */
export interface SignalInputs {
  readonly momentum?: number;
  readonly flow?: number;
  readonly funding?: number;
  readonly crowding?: number;
}

/**
 * Weights of the clipped z-scores; their sizes sum to 1, so that the signal lies within −1 and 1. There is no
 * public standard: these are ours, and no claim about returns is made.
 */
export const signalWeights: Required<SignalInputs> = {
  /** 24 h return over its usual size: trend is what the other series react to. */
  momentum: 0.45,
  /** Taker buys against the coin's week: who crosses the spread. */
  flow: 0.25,
  /** Dear longs are fragile ones: contrarian, and weak (measured: only negative extremes were followed by gains). */
  funding: -0.15,
  /** Top traders' long share against its week: a crowded side has fewer left to join it. */
  crowding: -0.15,
};

/** Beyond 3 deviations a larger number says nothing more, and one bad print must not rule the sum. */
const clipAt = 3;

/** −1 to 1, 0 neutral: Σ weight × clip(z, ±3) / 3. What is absent counts as neutral. */
export function coinSignal(inputs: SignalInputs): number {
  let sum = 0;
  for (const name of ['momentum', 'flow', 'funding', 'crowding'] as const) {
    sum += (signalWeights[name] * clip(inputs[name] ?? 0, clipAt)) / clipAt;
  }
  return round(sum, 4);
}

/**
 * 0 to 100, 50 neutral: 50 + 50·tanh(2 · signal · m). m is the regime's multiplier (0.5 to 1.5) for a bullish
 * signal and 2 − multiplier for a bearish one: the same evidence weighs more along the regime than against it.
 */
export function masterScore(signal: number, multiplier: number): number {
  const along = signal >= 0 ? multiplier : 2 - multiplier;
  return round(50 + 50 * Math.tanh(2 * signal * along), 1);
}

export interface SignalRows {
  /** Hourly, ascending, of the last 8 days. */
  readonly candles: Pick<Columns<Candle>, 'time' | 'close' | 'volume' | 'takerBuy'>;
  /** Ascending, of the last 30 days. */
  readonly funding: Pick<Columns<SettledFunding>, 'rate'>;
  /** Ascending, of the last 7 days. */
  readonly ratios: Pick<Columns<Ratio>, 'longRatio'>;
}

/** How far back `signalInputs` looks. */
export const signalWindow = { candles: 8 * day, funding: 30 * day, ratios: 7 * day } as const;

/**
 * Of one coin. Momentum: ln(close / close 24 h ago) / (σ of hourly log returns × √24). Flow, funding, crowding:
 * z of the newest value within its rows. Below 48 candles, 20 settlements or 48 ratios an input is absent.
 */
export function signalInputs({ candles, funding, ratios }: SignalRows): SignalInputs {
  const momentum = returnZ(candles);
  const flow = newestZ(dailyBuyShares(candles), 25);
  const fundingZ = newestZ(funding.rate, 20);
  const crowding = newestZ(ratios.longRatio, 48);
  return {
    ...(momentum === undefined ? {} : { momentum }),
    ...(flow === undefined ? {} : { flow }),
    ...(fundingZ === undefined ? {} : { funding: fundingZ }),
    ...(crowding === undefined ? {} : { crowding }),
  };
}

function newestZ(values: Float64Array, minimum: number): number | undefined {
  const newest = values.at(-1);
  return newest === undefined || values.length < minimum ? undefined : zScore(newest, values);
}

function returnZ({ time, close }: Pick<Columns<Candle>, 'time' | 'close'>): number | undefined {
  const [newest, last] = [time.at(-1), close.at(-1)];
  if (newest === undefined || last === undefined || time.length < 48) return undefined;
  const dayAgo = close[passed(time, newest - 24 * hour) - 1];
  if (dayAgo === undefined) return undefined;
  const returns = new Float64Array(close.length - 1);
  for (let i = 0; i < returns.length; i++)
    returns[i] = Math.log((close[i + 1] as number) / (close[i] as number));
  const z = Math.log(last / dayAgo) / (standardDeviation(returns) * Math.sqrt(24));
  return Number.isFinite(z) ? z : undefined;
}

/** Taker buys' share of the volume of the 24 candles ending at each, where there was any. */
function dailyBuyShares({ volume, takerBuy }: Pick<Columns<Candle>, 'volume' | 'takerBuy'>): Float64Array {
  // Every candle is summed 24 times, and this is most of what a signal costs: sums of what passed through are not.
  const volumes = passedThrough(volume);
  const buys = passedThrough(takerBuy);
  const shares = new Float64Array(volume.length);
  let count = 0;
  for (let end = 24; end <= volume.length; end += 1) {
    const traded = (volumes[end] ?? 0) - (volumes[end - 24] ?? 0);
    const bought = (buys[end] ?? 0) - (buys[end - 24] ?? 0);
    // Of a day without volume the difference of two sums is nothing but their rounding.
    if (traded > 1e-9 * (volumes[end] ?? 0)) shares[count++] = bought / traded;
  }
  return shares.subarray(0, count);
}

/** Sums up to before each value, and of all. */
function passedThrough(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] as number) + (values[i] as number);
  return sums;
}
