import { day, hour } from '../../runtime/units.ts';
import { drift, keyOf, uniform } from './random.ts';

/** How a coin's perpetual at one venue differs from the simulated market. */
interface VenueDifference {
  /** Difference of the running rate, a fraction per 8 hours. */
  readonly rate: number;
  /** Factor of the open interest, about 1. */
  readonly interest: number;
}

/** Size of the rate's difference, a fraction per 8 hours: `usualSize` mostly, `rareSize` in 1 of 25 stretches (`rareShare`). */
const usualSize = 0.00003;
const rareSize = 0.0006;
const stretch = 12 * hour;
const rareShare = 0.04;
const interest = 0.04;

/** Returns the differences at a moment, always the same for the same moment. A large rate difference lasts one stretch. */
export function differenceOf(
  venue: string,
  { base, time }: { readonly base: string; readonly time: number },
): VenueDifference {
  const key = keyOf(0, `${venue} ${base}`);
  const at = Math.floor(time / stretch);
  const isRare = uniform(key, at, 1) < rareShare;
  const side = uniform(key, at, 2) < 0.5 ? -1 : 1;
  const rareDifference = isRare ? side * rareSize * Math.sin(Math.PI * (time / stretch - at)) ** 2 : 0;
  return {
    rate: usualSize * drift(key, time, stretch, 3) + rareDifference,
    interest: Math.exp(interest * drift(key, time, day, 4)),
  };
}
