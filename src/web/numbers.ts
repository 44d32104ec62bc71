import { inDigits } from '../language/digits.ts';
import { number, percent, price, rate, share, signed, unknown, usd } from '../language/format.ts';
import type { Text } from '../language/text.ts';
import { digits } from './words.ts';

/** A figure as cards write it, to the digit. */
const written = (text: Text): string =>
  typeof text === 'object' && 'number' in text ? inDigits(text, digits) : unknown;

type Figure = number | undefined;

export const asPrice = (value: Figure): string => written(price(value));
export const asPercent = (value: Figure, places = 2): string => written(percent(value, places));
export const asRate = (value: Figure): string => written(rate(value));
export const asShare = (value: Figure, places = 0): string => written(share(value, places));
export const asNumber = (value: Figure, places = 2): string => written(number(value, places));
export const asUsd = (value: Figure): string => written(usd(value));
export const asSigned = (value: Figure, places = 2): string => written(signed(value, places));

/** As many places as tell values of this size apart. */
const placesOf = (size: number): number => (size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4);

/** A value of a metric in its unit, without zeros and signs that say nothing: `2.5%`, `$1.2B`. */
export function inUnit(value: number, unit: '' | '%' | 'USD' | 'USDT'): string {
  if (unit === 'USD') return asUsd(value);
  if (unit === 'USDT') return asPrice(value);
  const as = { maximumFractionDigits: placesOf(Math.abs(value)), signDisplay: 'negative' } as const;
  return written(
    unit === '%' ? { number: value / 100, as: { ...as, style: 'percent' } } : { number: value, as },
  );
}

/** Which way a figure points, for its colour; a figure that is shown as zero points nowhere. */
export const way = (value: Figure, places = 2): 'up' | 'down' | undefined =>
  value === undefined || Math.abs(value) < 0.5 / 10 ** places ? undefined : value > 0 ? 'up' : 'down';

/** `BTCUSDT` → `BTC`, as in prose. */
export { marketName } from '../language/format.ts';
