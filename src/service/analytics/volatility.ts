import { z } from 'zod';
import { day, hour } from '../../runtime/units.ts';
import { percentileRank } from './statistics.ts';

/** Hours after which a return counts half: 60 days for the unit that moves are measured in, a day for the present. */
const slowHalfLife = 1440;
const fastHalfLife = 24;
/** The number of bars after which the deviation is reliable enough to divide by. */
const warmUp = 25;

/**
 * Exponentially weighted mean squares of hourly log returns, as plain JSON. `slowWeight` and `fastWeight` correct for
 * the few bars at the beginning.
 */
export const volatilityState = z.object({
  bars: z.int().min(0),
  slow: z.number(),
  slowWeight: z.number(),
  fast: z.number(),
  fastWeight: z.number(),
  /** The fast deviation at the end of each day of the last year. */
  daily: z.array(z.number()),
});
export type VolatilityState = z.output<typeof volatilityState>;

export const volatilityStart: VolatilityState = {
  bars: 0,
  slow: 0,
  slowWeight: 0,
  fast: 0,
  fastWeight: 0,
  daily: [],
};

/** Returns σ of a day's log return, √(24·EWMA(r²)) with half-life 1,440 h (RiskMetrics 1996); 0 while bars are too few. */
export const dailySigma = ({ bars, slow, slowWeight }: VolatilityState): number =>
  bars < warmUp ? 0 : Math.sqrt((24 * slow) / slowWeight);

/** Returns the state after a log return over `hours` (more than one after a hole), in the bar opening at `time`. */
export function stepVolatility(
  before: VolatilityState,
  { time, logReturn, hours }: { readonly time: number; readonly logReturn: number; readonly hours: number },
): VolatilityState {
  const square = (logReturn * logReturn) / hours;
  const slowDecay = 2 ** (-hours / slowHalfLife);
  const fastDecay = 2 ** (-hours / fastHalfLife);
  const next = {
    bars: before.bars + 1,
    slow: before.slow * slowDecay + square * (1 - slowDecay),
    slowWeight: before.slowWeight * slowDecay + 1 - slowDecay,
    fast: before.fast * fastDecay + square * (1 - fastDecay),
    fastWeight: before.fastWeight * fastDecay + 1 - fastDecay,
    daily: before.daily,
  };
  const dayEnds = time % day === day - hour;
  return dayEnds ? { ...next, daily: [...before.daily.slice(-364), fastSigma(next)] } : next;
}

const fastSigma = ({ fast, fastWeight }: Omit<VolatilityState, 'daily'>): number =>
  fastWeight > 0 ? Math.sqrt((24 * fast) / fastWeight) : 0;

/** Returns the percentile, 0 to 100, of the present fast deviation among those at the end of each day of the last year. */
export const volatilityPercentile = (state: VolatilityState): number =>
  percentileRank(fastSigma(state), state.daily);

/** Returns LOW_VOL below the 25th percentile, HIGH_VOL above the 75th. */
export const volatilityRegime = (percentile: number): 'LOW_VOL' | 'NORMAL_VOL' | 'HIGH_VOL' =>
  percentile < 25 ? 'LOW_VOL' : percentile > 75 ? 'HIGH_VOL' : 'NORMAL_VOL';
