/**
 * How numbers, times and labels are written on cards: each function returns a text, which is formatted for each
 * reader's language.
 */
import { hour } from '../runtime/lengths.ts';
import type { Text } from './text.ts';

/** Placeholder for an unknown value. */
export const unknown = '–';

type Value = number | undefined;

const quantity = (value: Value, as: Intl.NumberFormatOptions): Text =>
  value !== undefined && Number.isFinite(value) ? { number: value, as } : unknown;

const places = (digits: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: digits,
  maximumFractionDigits: digits,
});

/** A number with fixed decimals: `1,234.50`. */
export const number = (value: Value, digits = 2): Text =>
  quantity(value, { ...places(digits), signDisplay: 'negative' });

export const count = (value: Value): Text => number(value, 0);

/** A number with its sign: `+1.25`; zero has no sign. */
export const signed = (value: Value, digits = 2): Text =>
  quantity(value, { ...places(digits), signDisplay: 'exceptZero' });

/** A percentage with its sign: `+1.25%`. `value` is already in percent. */
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

/** A number in three digits: `98.1K`. */
export const amount = (value: Value): Text => quantity(value, short);

/** US dollars, three digits: `$1.23M`. */
export const usd = (value: Value): Text =>
  quantity(value, { ...short, style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });

/** A quote price: two decimals from 100 on, otherwise five significant digits. */
export const price = (value: Value): Text =>
  quantity(value, Math.abs(value ?? 0) >= 100 ? places(2) : { maximumSignificantDigits: 5 });

/** A time, market ms; written in the reader's time zone: `21 Nov 2025, 14:05 UTC`. */
export const time = (at: Value): Text =>
  at !== undefined && Math.abs(at) <= 8.64e15 ? { time: at } : unknown;

/** The hour of the week of a time, market ms: `Thursday 14:00`. */
export const weeklyHour = (at: number): Text => ({ time: Math.floor(at / hour) * hour, weekly: true });

/** A length of time, ms: `1 d 4 h`. */
export const span = (ms: number): Text => ({ span: ms });

/** A label within a sentence: `RAPID_BUILDUP` → `rapid buildup`. */
export const words = (label: string): Text => ({ label, capital: false });

/** A label that stands alone: `RAPID_BUILDUP` → `Rapid buildup`. */
export const labelTitle = (label: string): Text => ({ label, capital: true });

/**
 * Returns a market's name in prose: `BTCUSDT` → `BTC`. A market with another quote keeps its whole name, so that no two
 * names are equal.
 */
export const marketName = (symbol: string): string => symbol.replace(/(?<=.)USDT$/, '');
