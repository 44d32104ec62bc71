import * as format from '../language/format.ts';
import { plainReader, say } from '../language/say.ts';
import type { Scale } from './scale.ts';

// Axes and values of a picture are quoted as markets are, whatever the language around them.
const money = (value: number) => say(format.usd(value), plainReader);
const price = (value: number) => say(format.price(value), plainReader);
const number = (value: number, digits: number) => say(format.number(value, digits), plainReader);

/** `%`, `% in 5 min`. */
const isPercent = (unit: string): boolean => unit.startsWith('%');

/** A value as people read it, in its unit: `$1.23M`, `61,204.50`, `0.0312%`. */
export function valueText(value: number, unit: string): string {
  if (unit === 'USD') return money(value);
  if (unit === 'USDT') return price(value);
  if (isPercent(unit))
    return Math.abs(value) < 1e9 ? `${number(value, Math.abs(value) < 1 ? 4 : 2)}%` : `${plain(value)}%`;
  return plain(value);
}

const fourDigits = { maximumSignificantDigits: 4, signDisplay: 'negative' } as const;
const four = (value: number) => say({ number: value, as: fourDigits }, plainReader);
const compact = (value: number) =>
  say({ number: value, as: { ...fourDigits, notation: 'compact' } }, plainReader);

const plain = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 10_000) return size < 1e15 ? compact(value) : value.toExponential(2);
  if (size >= 1_000) return number(value, 0);
  return size < 1e-6 && size > 0 ? value.toExponential(2) : four(value);
};

const powers = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const;

/** Labels of an axis: as many decimals as its step needs, the same letter for all. */
export function axisText({ min, max, step }: Scale, unit: string): (value: number) => string {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size >= 1e15 || size < 1e-6) {
    const digits = Math.min(12, Math.ceil(Math.log10(size / step)) + 1);
    return (value) => (Math.abs(value) < step / 2 ? '0' : value.toExponential(digits));
  }
  // Prices are read digit by digit; other amounts need no more than their size.
  const shortFrom = unit === 'USDT' ? 1e6 : 1e4;
  const [divisor, letter] = (size >= shortFrom ? powers.find(([power]) => size >= power) : undefined) ?? [
    1,
    '',
  ];
  const decimals = decimalsOf(step / divisor);
  const format = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: 'negative',
  });
  return (value) => {
    // The sum of steps misses zero by a hair.
    const exact = Math.abs(value) < step / 2 ? 0 : value / divisor;
    const text = exact === 0 ? '0' : format.format(Math.abs(exact));
    return `${exact < 0 ? '-' : ''}${unit === 'USD' ? '$' : ''}${text}${exact === 0 ? '' : letter}${isPercent(unit) ? '%' : ''}`;
  };
}

/** Steps have two significant digits. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const whole = (places: number) => Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) < 1e-6;
  return Math.min(12, whole(first) ? first : first + 1);
}
