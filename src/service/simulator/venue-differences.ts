import { day, hour } from '../../runtime/units.ts';
import { drift, keyOf, uniform } from './random.ts';

/** What a coin's perpetual at one venue differs by from the market's. */
export interface VenueDifference {
  /** Of the running rate, a fraction in 8 hours. */
  readonly rate: number;
  /** Of the open interest, a factor about 1. */
  readonly interest: number;
}

/** A rate goes its own way: by so much mostly, and by so much in one stretch of 25. */
const usual = 0.00003;
const apart = 0.0006;
const stretch = 12 * hour;
const seldom = 0.04;
const interest = 0.04;

/** The same for the same moment; over a stretch a rate leaves the others and comes back. */
export function differenceOf(
  venue: string,
  { base, time }: { readonly base: string; readonly time: number },
): VenueDifference {
  const key = keyOf(0, `${venue} ${base}`);
  const at = Math.floor(time / stretch);
  const leaves = uniform(key, at, 1) < seldom;
  const side = uniform(key, at, 2) < 0.5 ? -1 : 1;
  const far = leaves ? side * apart * Math.sin(Math.PI * (time / stretch - at)) ** 2 : 0;
  return {
    rate: usual * drift(key, time, stretch, 3) + far,
    interest: Math.exp(interest * drift(key, time, day, 4)),
  };
}
