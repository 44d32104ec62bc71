import { inDigits } from '../language/digits.ts';
import { number, percent, price, rate, share, signed, unknown, usd } from '../language/format.ts';
import type { Text } from '../language/text.ts';
import { digits } from './words.ts';

/** Writes a figure exactly as cards do. */
const format = (text: Text): string =>
  typeof text === 'object' && 'number' in text ? inDigits(text, digits) : unknown;

type Figure = number | undefined;

export const asPrice = (value: Figure): string => format(price(value));
export const asPercent = (value: Figure, places = 2): string => format(percent(value, places));
export const asRate = (value: Figure): string => format(rate(value));
export const asShare = (value: Figure, places = 0): string => format(share(value, places));
export const asNumber = (value: Figure, places = 2): string => format(number(value, places));
export const asUsd = (value: Figure): string => format(usd(value));
export const asSigned = (value: Figure, places = 2): string => format(signed(value, places));

/** Returns how many decimal places distinguish values of this size. */
const placesOf = (size: number): number => (size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 4);

/** Writes a value of a metric in its unit, without needless zeros and signs: `2.5%`, `$1.2B`. */
export function inUnit(value: number, unit: '' | '%' | 'USD' | 'USDT'): string {
  if (unit === 'USD') return asUsd(value);
  if (unit === 'USDT') return asPrice(value);
  const as = { maximumFractionDigits: placesOf(Math.abs(value)), signDisplay: 'negative' } as const;
  return format(
    unit === '%' ? { number: value / 100, as: { ...as, style: 'percent' } } : { number: value, as },
  );
}

/** Returns the direction of a figure, for its colour; undefined for a figure that is displayed as zero. */
export const directionOf = (value: Figure, places = 2): 'up' | 'down' | undefined =>
  value === undefined || Math.abs(value) < 0.5 / 10 ** places ? undefined : value > 0 ? 'up' : 'down';

/** Shortens a symbol as in prose: `BTCUSDT` → `BTC`. */
export { marketName } from '../language/format.ts';
