/** Numbers in digits. Cards and the page both use this, so that a value is written the same everywhere. */
import { memoized } from './memoized.ts';
import type { Quantity } from './text.ts';

/** How a language writes numbers. */
export interface Digits {
  /** BCP 47 tag. */
  readonly locale: string;
  /** The language's short word for 10⁹, where Intl would count in millions up to 10¹². */
  readonly billions?: string | undefined;
}

const numberFormat = memoized(
  (locale: string, as: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, as),
);

/**
 * Writes a number in digits. A minus sign replaces Intl's hyphen: `-1.2%` would break after the hyphen and look like a
 * list.
 */
export const inDigits = (quantity: Quantity, digits: Digits): string =>
  formatQuantity(quantity, digits).replace('-', '\u2212');

function formatQuantity({ number, as }: Quantity, { locale, billions }: Digits): string {
  const format = numberFormat(locale, as);
  const size = Math.abs(number);
  if (billions === undefined || as.notation !== 'compact' || size < 999.5e6 || size >= 999.5e9)
    return format.format(number);
  return format
    .formatToParts(number / 1e3)
    .map(({ type, value }) => (type === 'compact' ? billions : value))
    .join('');
}
