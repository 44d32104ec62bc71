import { type Digits, inDigits } from '../language/digits.ts';
import * as format from '../language/format.ts';
import type { Text } from '../language/text.ts';
import type { Scale } from './scale.ts';

/** Returns whether a unit is a percentage: `%`, `% in 5 min`. */
const isPercent = (unit: string): boolean => unit.startsWith('%');

/** Returns a value as people read it, in its unit: `$1.23M`, `61,204.50`, `0.0312%`. */
export function valueText(value: number, unit: string): Text {
  const size = Math.abs(value);
  // No market has such values: written out they would be longer than any label.
  if (size >= 1e15 || (size > 0 && size < 1e-12)) return value.toExponential(2);
  if (unit === 'USD') return format.usd(value);
  if (unit === 'USDT') return format.price(value);
  if (!isPercent(unit)) return plain(value);
  return size < 1e9 ? format.share(value / 100, size < 1 ? 4 : 2) : { parts: [plain(value), '%'], by: '' };
}

const fourDigits = { maximumSignificantDigits: 4, signDisplay: 'negative' } as const;

function plain(value: number): Text {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(2);
  if (size >= 10_000) return { number: value, as: { ...fourDigits, notation: 'compact' } };
  return size >= 1_000 ? format.number(value, 0) : { number: value, as: fourDigits };
}

/** Returns the powers of ten that have a word of their own in a language: `K` and `M`, or `万` and `亿`; the largest first. */
const powersIn = (digits: Digits): (readonly [power: number, word: string])[] =>
  [1e12, 1e9, 1e8, 1e6, 1e4, 1e3].flatMap((power) => {
    const text = inDigits({ number: power, as: { notation: 'compact' } }, digits);
    const word = /^1(\D+)$/.exec(text)?.[1];
    return word === undefined ? [] : [[power, word] as const];
  });

/**
 * Returns a function that writes the labels of an axis: with as many decimals as the step needs, and the same power of
 * ten for all.
 */
export function axisText(
  { min, max, step }: Scale,
  { unit, digits }: { readonly unit: string; readonly digits: Digits },
): (value: number) => string {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size >= 1e15 || size < 1e-6) {
    const decimals = Math.min(12, Math.ceil(Math.log10(size / step)) + 1);
    return (value) => (Math.abs(value) < step / 2 ? '0' : value.toExponential(decimals));
  }
  // Prices are read digit by digit, so they are shortened only from a million on; other amounts from ten thousand on.
  const shortFrom = unit === 'USDT' ? 1e6 : 1e4;
  const short = size >= shortFrom ? powersIn(digits).find(([power]) => size >= power) : undefined;
  const [divisor, word] = short ?? [1, ''];
  const style: Intl.NumberFormatOptions =
    unit === 'USD'
      ? { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' }
      : { style: isPercent(unit) ? 'percent' : 'decimal' };
  const formatOf = (decimals: number) =>
    new Intl.NumberFormat(digits.locale, {
      ...style,
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
      signDisplay: 'negative',
    });
  const [zero, other] = [formatOf(0), formatOf(decimalsOf(step / divisor))];
  return (value) => {
    // A sum of steps may miss zero by a rounding error.
    if (Math.abs(value) < step / 2) return zero.format(0);
    const parts = other.formatToParts(value / divisor / (isPercent(unit) ? 100 : 1));
    const end = parts.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
    return parts
      .map(({ type, value: text }, index) =>
        type === 'minusSign' ? '−' : index === end ? text + word : text,
      )
      .join('');
  };
}

/** Returns how many decimals a step needs. Steps have at most two significant digits. */
function decimalsOf(step: number): number {
  const first = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const isWhole = (places: number) => Math.abs(step * 10 ** places - Math.round(step * 10 ** places)) < 1e-6;
  return Math.min(12, isWhole(first) ? first : first + 1);
}
