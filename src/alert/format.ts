/** How alerts write numbers, in the same conventions as the cards. */

const formats = new Map<string, Intl.NumberFormat>();
const formatted = (value: number, options: Intl.NumberFormatOptions): string => {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.NumberFormat('en-US', options);
  formats.set(key, format);
  return format.format(value);
};

/** `1,234.50`. */
export const number = (value: number, places = 2): string =>
  formatted(value, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    signDisplay: 'negative',
  });

/** `+1.25`; zero has no sign. */
export const signed = (value: number, places = 2): string =>
  formatted(value, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    signDisplay: 'exceptZero',
  });

/** `value` is in percent already: `+1.25%`. */
export const percent = (value: number, places = 2): string => `${signed(value, places)}%`;

/** A fraction without its sign: `0.42` → `42%`. */
export const share = (value: number): string => `${number(value * 100, 0)}%`;

/** US dollars, three digits: `$1.23M`. */
export const usd = (value: number): string => `${value < 0 ? '-' : ''}$${amount(Math.abs(value))}`;

/** A quote price: two decimals for a bitcoin, five significant digits for what costs cents. */
export const price = (value: number): string =>
  Math.abs(value) >= 100 ? number(value, 2) : formatted(value, { maximumSignificantDigits: 5 });

/** Three digits: `98.1K`. */
export const amount = (value: number): string =>
  formatted(value, { notation: 'compact', maximumSignificantDigits: 3, signDisplay: 'negative' });

/** Market ms: `2026-01-01 08:00 UTC`. */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `RAPID_BUILDUP` → `rapid buildup`. */
export const words = (label: string): string => label.replaceAll('_', ' ').toLowerCase();
