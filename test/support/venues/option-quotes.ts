import { day } from '#src/runtime/units.ts';
import type { SimulatedOption } from '#src/service/simulation/market.ts';

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const year = 365 * day;

const expiryName = (expiry: number): string => {
  const date = new Date(expiry);
  return `${date.getUTCDate()}${months[date.getUTCMonth()]}${String(date.getUTCFullYear()).slice(2)}`;
};

/** Cumulative distribution function of the standard normal, Abramowitz and Stegun 26.2.17, accurate to 1e-7. */
const cumulative = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const poly =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return x >= 0 ? 1 - tail : tail;
};

/** Returns Black's price of an option on a future, as a fraction of the future's price. */
const black = (
  future: number,
  {
    strike,
    years,
    sigma,
    kind,
  }: { readonly strike: number; readonly years: number; readonly sigma: number; readonly kind: 'C' | 'P' },
): number => {
  const deviation = sigma * Math.sqrt(years);
  const d1 = Math.log(future / strike) / deviation + deviation / 2;
  const call = cumulative(d1) - (strike / future) * cumulative(d1 - deviation);
  return Math.max(0.0001, kind === 'C' ? call : call - 1 + strike / future);
};

/** Returns Deribit's name of an option, for example BTC-26JAN24-40000-C. */
export const instrumentName = (currency: string, { expiry, strike, kind }: SimulatedOption): string =>
  `${currency}-${expiryName(expiry)}-${strike}-${kind}`;

/** Returns the option's price by Black's formula, in coins. */
export const markPriceOf = (quote: SimulatedOption, time: number): number => {
  const { underlying, strike, expiry, impliedVolatility, kind } = quote;
  const price = black(underlying, {
    strike,
    years: (expiry - time) / year,
    sigma: impliedVolatility / 100,
    kind,
  });
  return Math.round(price * 10_000) / 10_000;
};
