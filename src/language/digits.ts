/** Numbers in digits, as cards and the page have them: one datum is one number wherever it stands. */
import { memoized } from './memoized.ts';
import type { Quantity } from './text.ts';

/** How a language writes numbers. */
export interface Digits {
  /** BCP 47. */
  readonly locale: string;
  /** Its own word for 10⁹, where Intl would count in millions, and then in 10¹². */
  readonly billions?: string;
}

const numberFormat = memoized(
  (locale: string, as: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, as),
);

/** With a minus, where Intl writes a hyphen: `-1.2%` breaks after its sign and looks like a list. */
export const inDigits = (quantity: Quantity, digits: Digits): string =>
  written(quantity, digits).replace('-', '\u2212');

function written({ number, as }: Quantity, { locale, billions }: Digits): string {
  const format = numberFormat(locale, as);
  const size = Math.abs(number);
  if (billions === undefined || as.notation !== 'compact' || size < 999.5e6 || size >= 999.5e9)
    return format.format(number);
  return format
    .formatToParts(number / 1e3)
    .map(({ type, value }) => (type === 'compact' ? billions : value))
    .join('');
}
