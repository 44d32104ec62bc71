import { z } from 'zod';
import { day, hour, minute } from '#src/runtime/units.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { type ErrorBodyOf, oneOf } from '../route.ts';

/** Returns Binance's own error code and text. */
export const binanceErrorBody: ErrorBodyOf = (parameter, given) => {
  if (given === undefined || given === '') {
    const msg = `Mandatory parameter '${parameter}' was not sent, was empty/null, or malformed.`;
    return { code: -1102, msg };
  }
  if (parameter === 'symbol' || parameter === 'pair') return { code: -1121, msg: 'Invalid symbol.' };
  if (parameter === 'interval' || parameter === 'period') return { code: -1120, msg: 'Invalid interval.' };
  return { code: -1130, msg: `Data sent for parameter '${parameter}' is not valid.` };
};

/** Schema of a symbol of the market; gives the symbol's instrument. */
export const instrumentBySymbol = (market: Market) =>
  oneOf(new Map(market.instruments.map((instrument) => [instrument.symbol, instrument])));

const periods = {
  '5m': 5 * minute,
  '15m': 15 * minute,
  '30m': 30 * minute,
  '1h': hour,
  '4h': 4 * hour,
  '1d': day,
};

/** Schema of a period's name; gives the period in ms. */
export const period = z.enum(['5m', '15m', '30m', '1h', '4h', '1d']).transform((name) => periods[name]);
