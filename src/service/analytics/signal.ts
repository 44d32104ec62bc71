import { day, hour } from '../../runtime/units.ts';
import type { Candle, Ratio, SettledFunding } from '../archive/archive.ts';
import type { Columns } from '../archive/columns.ts';
import { countUpTo } from '../archive/derivation.ts';
import { clip, newestZ, round, standardDeviation } from './statistics.ts';

/** Each input in standard deviations from the coin's own normal. An input is undefined if its data is missing. */
type SignalInputs = Readonly<Partial<Record<keyof typeof signalWeights, number | undefined>>>;

/**
 * Weights of the clipped z-scores. Their absolute values sum to 1, so that the signal lies between −1 and 1. There is no
 * public standard: these are our own, and make no claim about returns.
 */
export const signalWeights = {
  /** 24 h return relative to its usual size: it is the trend, to which the other series react. */
  momentum: 0.45,
  /** The share of taker buys, relative to the coin's week: it shows which side crosses the spread. */
  flow: 0.25,
  /** Contrarian, since longs that pay much are fragile, and weak (measured: only negative extremes preceded gains). */
  funding: -0.15,
  /** Top traders' long share, relative to its week: few traders are left to join a crowded side. */
  crowding: -0.15,
} as const;

/** z-scores are clipped here: beyond 3 a larger number says nothing more, and one bad price must not dominate the sum. */
const clipAt = 3;

/** Returns Σ weight × clip(z, ±3) / 3, from −1 to 1, 0 neutral. An absent input counts as neutral. */
export function coinSignal(inputs: SignalInputs): number {
  let sum = 0;
  for (const name of ['momentum', 'flow', 'funding', 'crowding'] as const) {
    sum += (signalWeights[name] * clip(inputs[name] ?? 0, clipAt)) / clipAt;
  }
  return round(sum, 4);
}

/**
 * Returns 50 + 50·tanh(2 · signal · m), from 0 to 100, 50 neutral. m is the regime's multiplier (0.5 to 1.5) for a bullish
 * signal and 2 − multiplier for a bearish one, so that evidence weighs more along the regime than against it.
 */
export function masterScore(signal: number, multiplier: number): number {
  const regimeWeight = signal >= 0 ? multiplier : 2 - multiplier;
  return round(50 + 50 * Math.tanh(2 * signal * regimeWeight), 1);
}

interface SignalRows {
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
 * Computes the inputs of one coin. Momentum: ln(close / close 24 h ago) / (σ of hourly log returns × √24). Flow, funding,
 * crowding: z of the newest value within its rows. Below 48 candles, 20 settlements or 48 ratios an input is undefined.
 */
export const signalInputs = ({ candles, funding, ratios }: SignalRows): SignalInputs => ({
  momentum: returnZ(candles),
  flow: newestZ(dailyBuyShares(candles), 25),
  funding: newestZ(funding.rate, 20),
  crowding: newestZ(ratios.longRatio, 48),
});

function returnZ({ time, close }: Pick<Columns<Candle>, 'time' | 'close'>): number | undefined {
  const [newest, last] = [time.at(-1), close.at(-1)];
  if (newest === undefined || last === undefined || time.length < 48) return undefined;
  const dayAgo = close[countUpTo(time, newest - 24 * hour) - 1];
  if (dayAgo === undefined) return undefined;
  const returns = new Float64Array(close.length - 1);
  for (let i = 0; i < returns.length; i++)
    returns[i] = Math.log((close[i + 1] as number) / (close[i] as number));
  const z = Math.log(last / dayAgo) / (standardDeviation(returns) * Math.sqrt(24));
  return Number.isFinite(z) ? z : undefined;
}

/** Returns for each candle the share of taker buys in the volume of the 24 candles ending with it, if there was volume. */
function dailyBuyShares({ volume, takerBuy }: Pick<Columns<Candle>, 'volume' | 'takerBuy'>): Float64Array {
  // Running sums: adding up 24 candles for each candle would be most of the cost of a signal.
  const volumes = prefixSums(volume);
  const buys = prefixSums(takerBuy);
  const shares = new Float64Array(volume.length);
  let count = 0;
  for (let end = 24; end <= volume.length; end += 1) {
    const traded = (volumes[end] ?? 0) - (volumes[end - 24] ?? 0);
    const bought = (buys[end] ?? 0) - (buys[end - 24] ?? 0);
    // For a day without volume the difference of two running sums is nothing but rounding error.
    if (traded > 1e-9 * (volumes[end] ?? 0)) shares[count++] = bought / traded;
  }
  return shares.subarray(0, count);
}

/** Returns running sums: at each index the sum of the values before it, and at the end the sum of all. */
function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = (sums[i] as number) + (values[i] as number);
  return sums;
}
