import { z } from 'zod';
import { hour } from '../../runtime/units.ts';
import { directionalStart, directionalState, stepDirectional } from './directional-change.ts';
import { filterRegime, unknownRegime } from './regime-filter.ts';
import { dailySigma, stepVolatility, volatilityStart, volatilityState } from './volatility.ts';

/** A closed hourly bar of BTC. */
export interface ClosedBar {
  /** Open time, ms. */
  readonly time: number;
  readonly close: number;
}

/** The state of the market after a bar, before calibration, as plain JSON. */
export const regimeFeatures = z.object({
  time: z.number(),
  close: z.number(),
  volatility: volatilityState,
  directional: directionalState,
  /** Probabilities in the order RISK_OFF, TRANSITION, RISK_ON. */
  filtered: z.array(z.number()).length(3),
});
export type RegimeFeatures = z.output<typeof regimeFeatures>;

/** Returns the features after a bar, given those before it. The bar's move is measured in the σ of earlier bars. */
export function observe(before: RegimeFeatures | null, { time, close }: ClosedBar): RegimeFeatures {
  if (before === null) {
    const directional = directionalStart(time);
    return { time, close, volatility: volatilityStart, directional, filtered: [...unknownRegime] };
  }
  const logReturn = Math.log(close / before.close);
  const sigma = dailySigma(before.volatility);
  const move = sigma > 0 ? logReturn / sigma : 0;
  const hours = Math.max(1, (time - before.time) / hour);
  return {
    time,
    close,
    volatility: stepVolatility(before.volatility, { time, logReturn, hours }),
    directional: stepDirectional(before.directional, { time, move }),
    filtered: filterRegime(before.filtered, move),
  };
}

export const isStalled = ({ directional }: RegimeFeatures): boolean => directional.position === 0;
