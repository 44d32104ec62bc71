/** What stands where a value is not known. */
export const unknown = '–';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0, signDisplay: 'negative' });
const compact = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
  signDisplay: 'negative',
});

const digits = (count: number, signed: boolean) =>
  new Intl.NumberFormat('en-US', {
    minimumFractionDigits: count,
    maximumFractionDigits: count,
    signDisplay: signed ? 'exceptZero' : 'negative',
  });
const plain = [0, 1, 2, 3, 4].map((count) => digits(count, false));
const signed = [0, 1, 2, 3, 4].map((count) => digits(count, true));
type Digits = 0 | 1 | 2 | 3 | 4;

type Known = number | undefined;
const known = (value: Known): value is number => value !== undefined && Number.isFinite(value);

export const count = (value: Known): string => (known(value) ? whole.format(value) : unknown);

export const number = (value: Known, places: Digits = 2): string =>
  known(value) ? (plain[places]?.format(value) ?? unknown) : unknown;

/** With its sign, zero without. */
export const change = (value: Known, places: Digits = 2): string =>
  known(value) ? (signed[places]?.format(value) ?? unknown) : unknown;

/** A quote price: two decimals for a bitcoin, five significant digits for what costs cents. */
export const price = (value: Known): string => {
  if (!known(value)) return unknown;
  if (Math.abs(value) >= 100) return number(value, 2);
  return value.toLocaleString('en-US', { maximumSignificantDigits: 5, signDisplay: 'negative' });
};

/** US dollars, short: `$1.23M`. */
export const money = (value: Known): string =>
  known(value) ? `${value < 0 ? '-' : ''}$${compact.format(Math.abs(value))}` : unknown;

/** A large amount without a unit, short: `98.1K`. */
export const amount = (value: Known): string => (known(value) ? compact.format(value) : unknown);

/** `value` is in percent already; signed. */
export const percent = (value: Known, places: Digits = 2): string =>
  known(value) ? `${change(value, places)}%` : unknown;

/** A share from 0 to 1 as percent, without a sign. */
export const share = (value: Known, places: Digits = 0): string =>
  known(value) ? `${number(value * 100, places)}%` : unknown;

/** A funding rate, a fraction per settlement: `+0.0100%`. */
export const rate = (fraction: Known): string => percent(known(fraction) ? fraction * 100 : undefined, 4);

/** Market ms as a person in that IANA time zone writes it: `21 Nov 2025, 14:05 UTC`. */
export const time = (ms: Known, timeZone: string): string =>
  known(ms) && Math.abs(ms) <= 8.64e15
    ? new Intl.DateTimeFormat('en-GB', {
        timeZone,
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        timeZoneName: 'short',
      }).format(ms)
    : unknown;

/** `RAPID_BUILDUP` → `Rapid buildup`: the contract's labels in words, unknown ones too. */
export const words = (label: string): string => {
  const text = label.replaceAll('_', ' ').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Where values come from, as every card says it: `simulated, 240 ×`; without a speed of 1. */
export const sourceLine = (source: string, speed: number): string =>
  speed === 1 ? source : `${source}, ${speed.toLocaleString('en-US', { maximumFractionDigits: 1 })} ×`;
