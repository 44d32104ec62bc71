import { day } from '../../runtime/units.ts';

/** One instrument of an option chain. Open interest in coins, implied volatility in percent where it is known. */
export interface OptionQuote {
  /** Time of expiry, ms. */
  readonly expiry: number;
  readonly strike: number;
  readonly kind: 'C' | 'P';
  readonly openInterest: number;
  readonly impliedVolatility: number | undefined;
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/**
 * Reads the terms of an instrument from its name, such as `ETH-26JAN24-1200-P`; undefined if the name is not an option's.
 * Deribit's options expire at 08:00 UTC, and Deribit writes a strike of 0.5 as `0d5`.
 */
export function parseInstrument(name: string): Pick<OptionQuote, 'expiry' | 'strike' | 'kind'> | undefined {
  const match = /^[A-Z_]+-(\d{1,2})([A-Z]{3})(\d{2})-(\d+(?:d\d+)?)-([CP])$/.exec(name);
  if (match === null) return undefined;
  const [, date = '', monthName = '', year = '', strike = '', kind] = match;
  const month = months.indexOf(monthName);
  if (month < 0) return undefined;
  return {
    expiry: Date.UTC(2000 + Number(year), month, Number(date), 8),
    strike: Number(strike.replace('d', '.')),
    kind: kind === 'C' ? 'C' : 'P',
  };
}

/**
 * Returns the max pain of one expiry: the listed strike S at which holders are paid least,
 * argmin Σ callOI·max(S−K, 0) + putOI·max(K−S, 0); the lowest of several equal ones. Undefined without open interest.
 */
export function maxPain(quotes: readonly OptionQuote[]): number | undefined {
  if (!quotes.some(({ openInterest }) => openInterest > 0)) return undefined;
  const strikes = [...new Set(quotes.map(({ strike }) => strike))].sort((a, b) => a - b);
  let best: { strike: number; paid: number } | undefined;
  for (const strike of strikes) {
    let paid = 0;
    for (const quote of quotes) {
      const inside = quote.kind === 'C' ? strike - quote.strike : quote.strike - strike;
      paid += quote.openInterest * Math.max(0, inside);
    }
    if (best === undefined || paid < best.paid) best = { strike, paid };
  }
  return best?.strike;
}

/** Returns the implied volatility weighted by open interest, percent; undefined if none is known. */
export function averageIv(quotes: readonly OptionQuote[]): number | undefined {
  let weighted = 0;
  let weight = 0;
  for (const { impliedVolatility, openInterest } of quotes) {
    if (impliedVolatility === undefined) continue;
    weighted += impliedVolatility * openInterest;
    weight += openInterest;
  }
  return weight > 0 ? weighted / weight : undefined;
}

/** Tells whether an expiry is monthly: monthly options expire on the last Friday of their month. */
export function isMonthly(expiry: number): boolean {
  const date = new Date(expiry);
  return date.getUTCDay() === 5 && new Date(expiry + 7 * day).getUTCMonth() !== date.getUTCMonth();
}

/** Returns the next monthly expiry after `now`; if none is listed, the next expiry of any kind. */
export function nearestMonthly(expiries: readonly number[], now: number): number | undefined {
  const coming = expiries.filter((expiry) => expiry > now).sort((a, b) => a - b);
  return coming.find(isMonthly) ?? coming[0];
}

interface ChainSummary {
  readonly callOI: number;
  readonly putOI: number;
  readonly maxPain: number;
  readonly avgIV: number;
}

/**
 * Returns open interest and average IV of the whole chain, and max pain of the nearest monthly expiry. Undefined if any
 * of them cannot be computed, because a row is never stored in part.
 */
export function summariseChain(quotes: readonly OptionQuote[], now: number): ChainSummary | undefined {
  const unexpired = quotes.filter(({ expiry }) => expiry > now);
  const expiry = nearestMonthly([...new Set(unexpired.map((quote) => quote.expiry))], now);
  const pain = maxPain(unexpired.filter((quote) => quote.expiry === expiry));
  const avgIV = averageIv(unexpired);
  if (pain === undefined || avgIV === undefined) return undefined;
  const sum = (kind: OptionQuote['kind']) =>
    unexpired.reduce((total, quote) => (quote.kind === kind ? total + quote.openInterest : total), 0);
  return { callOI: sum('C'), putOI: sum('P'), maxPain: pain, avgIV };
}
