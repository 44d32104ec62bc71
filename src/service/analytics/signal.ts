import { day, hour } from '../../runtime/units.ts';
import type { Candle, Ratio, Settlement } from '../archive/archive.ts';
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
  /** Taker buys' share of the volume of the 24 candles ending at each, where there was any. */
function dailyBuyShares(candles: readonly Candle[]): number[] {
  return candles.slice(23).flatMap((_, i) => {
    const lastDay = candles.slice(i, i + 24);
    const volume = lastDay.reduce((sum, candle) => sum + candle.volume, 0);
    return volume > 0 ? [lastDay.reduce((sum, candle) => sum + candle.takerBuy, 0) / volume] : [];
  });
}
