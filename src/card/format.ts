import * as known from '../alert/format.ts';

/** What stands where a value is not known. */
export const unknown = '–';

type Value = number | undefined;
const isKnown = (value: Value): value is number => value !== undefined && Number.isFinite(value);

/** The same format for values that may be missing. */
const orUnknown =
  <Rest extends unknown[]>(format: (value: number, ...rest: Rest) => string) =>
  (value: Value, ...rest: Rest): string =>
    isKnown(value) ? format(value, ...rest) : unknown;

export const number = orUnknown(known.number);
/** With its sign, zero without. */
export const change = orUnknown(known.signed);
/** A quote price: two decimals for a bitcoin, five significant digits for what costs cents. */
export const price = orUnknown(known.price);
/** US dollars, short: `$1.23M`. */
export const money = orUnknown(known.usd);
/** A large amount without a unit, short: `98.1K`. */
export const amount = orUnknown(known.amount);
/** `value` is in percent already; signed. */
export const percent = orUnknown(known.percent);
export const count = (value: Value): string => number(value, 0);
/** A share from 0 to 1 as percent, without a sign. */
export const share = (value: Value, places = 0): string =>
  isKnown(value) ? `${known.number(value * 100, places)}%` : unknown;
/** A funding rate, a fraction per settlement: `+0.0100%`. */
export const rate = (fraction: Value): string =>
  percent(fraction === undefined ? undefined : fraction * 100, 4);

const clocks = new Map<string, Intl.DateTimeFormat>();
const clockOf = (timeZone: string): Intl.DateTimeFormat => {
  const clock =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
  clocks.set(timeZone, clock);
  return clock;
};

/** Market ms as a person in that IANA time zone writes it: `21 Nov 2025, 14:05 UTC`. */
export const time = (ms: Value, timeZone: string): string =>
  isKnown(ms) && Math.abs(ms) <= 8.64e15 ? clockOf(timeZone).format(ms) : unknown;

/** `RAPID_BUILDUP` → `Rapid buildup`: the contract's labels in words, unknown ones too. */
export const words = (label: string): string => {
  const text = known.words(label);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Where values come from, as every card says it: `simulated, 240 ×`; without a speed of 1. */
export const sourceLine = (source: string, speed: number): string =>
  speed === 1 ? source : `${source}, ${speed.toLocaleString('en-US', { maximumFractionDigits: 1 })} ×`;
