/** How numbers, times and labels are written on cards: as texts, which each reader's language then forms. */
import type { Text } from './text.ts';

/** What stands where a value is not known. */
export const unknown = '–';

type Value = number | undefined;

const quantity = (value: Value, as: Intl.NumberFormatOptions): Text =>
  value !== undefined && Number.isFinite(value) ? { number: value, as } : unknown;

const places = (digits: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
});

/** `1,234.50`. */
export const number = (value: Value, digits = 2): Text =>
  quantity(value, { ...places(digits), signDisplay: 'negative' });

export const count = (value: Value): Text => number(value, 0);

/** `+1.25`; zero has no sign. */
export const signed = (value: Value, digits = 2): Text =>
  quantity(value, { ...places(digits), signDisplay: 'exceptZero' });

/** `value` is in percent already: `+1.25%`. */
export const percent = (value: Value, digits = 2): Text =>
  quantity(value === undefined ? undefined : value / 100, {
    ...places(digits),
    style: 'percent',
    signDisplay: 'exceptZero',
  });

/** A fraction as percent, without a sign: `0.42` → `42%`. */
export const share = (value: Value, digits = 0): Text =>
  quantity(value, { ...places(digits), style: 'percent', signDisplay: 'negative' });

/** A funding rate, a fraction per settlement: `+0.0100%`. */
export const rate = (fraction: Value): Text =>
  quantity(fraction, { ...places(4), style: 'percent', signDisplay: 'exceptZero' });

const short: Intl.NumberFormatOptions = {
  notation: 'compact',
  maximumSignificantDigits: 3,
  signDisplay: 'negative',
};

/** Three digits: `98.1K`. */
export const amount = (value: Value): Text => quantity(value, short);

/** US dollars, three digits: `$1.23M`. */
export const usd = (value: Value): Text =>
  quantity(value, { ...short, style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });

/** A quote price: two decimals for a bitcoin, five significant digits for what costs cents. */
export const price = (value: Value): Text =>
  quantity(value, Math.abs(value ?? 0) >= 100 ? places(2) : { maximumSignificantDigits: 5 });

/** Market ms; said in the reader's time zone: `21 Nov 2025, 14:05 UTC`. */
export const time = (at: Value): Text =>
  at !== undefined && Math.abs(at) <= 8.64e15 ? { time: at } : unknown;

/** A length of time, ms: `1 d 4 h`. */
export const span = (ms: number): Text => ({ span: ms });

/** Within a sentence: `RAPID_BUILDUP` → `rapid buildup`. */
export const words = (label: string): Text => ({ label, capital: false });

/** Alone: `RAPID_BUILDUP` → `Rapid buildup`. */
export const title = (label: string): Text => ({ label, capital: true });

/** A market in prose: `BTCUSDT` → `BTC`. One in another quote keeps its whole name, so that no two are called alike. */
export const marketName = (symbol: string): string => symbol.replace(/(?<=.)USDT$/, '');
