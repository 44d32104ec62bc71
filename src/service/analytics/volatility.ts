import { day, hour } from '../../runtime/units.ts';
import { percentileRank } from './statistics.ts';

/** Hours after which a return counts half. */
const halfLife = 24;

/** The exponentially weighted mean square of hourly log returns; `weight` corrects for the few bars at the beginning. */
export interface VolatilityState {
  readonly square: number;
  readonly weight: number;
  /** The deviation at the end of each day of the last year. */
  readonly daily: readonly number[];
}

export const volatilityStart: VolatilityState = { square: 0, weight: 0, daily: [] };

/** Returns the state after a log return over `hours` (more than one after a hole), in the bar opening at `time`. */
export function stepVolatility(
  before: VolatilityState,
  { time, logReturn, hours }: { readonly time: number; readonly logReturn: number; readonly hours: number },
): VolatilityState {
  const decay = 2 ** (-hours / halfLife);
  const next = {
    square: before.square * decay + ((logReturn * logReturn) / hours) * (1 - decay),
    weight: before.weight * decay + 1 - decay,
    daily: before.daily,
  };
  const dayEnds = time % day === day - hour;
  return dayEnds ? { ...next, daily: [...before.daily.slice(-364), deviation(next)] } : next;
}

/** Returns the deviation of a day's log return, √(24·EWMA(r²)) (RiskMetrics 1996). */
const deviation = ({ square, weight }: VolatilityState): number =>
  weight > 0 ? Math.sqrt((24 * square) / weight) : 0;

/** Returns the percentile, 0 to 100, of the present deviation among those at the end of each day of the last year. */
export const volatilityPercentile = (state: VolatilityState): number =>
  percentileRank(deviation(state), state.daily);

/** Returns LOW_VOL below the 25th percentile, HIGH_VOL above the 75th. */
export const volatilityRegime = (percentile: number): 'LOW_VOL' | 'NORMAL_VOL' | 'HIGH_VOL' =>
  percentile < 25 ? 'LOW_VOL' : percentile > 75 ? 'HIGH_VOL' : 'NORMAL_VOL';
