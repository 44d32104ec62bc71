import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { contractOf } from './symbols.ts';

const decimal = z.string().min(1).transform(Number).pipe(z.number().gt(0));
const message = z.looseObject({
  event: z.string().optional(),
  msg: z.string().default(''),
  arg: z.looseObject({ channel: z.string() }).optional(),
  data: z.array(z.unknown()).default([]),
});
/** `ctVal` × `ctMult` coins are one contract. */
const listed = z.looseObject({ instId: z.string(), ctVal: decimal, ctMult: decimal.catch(1) });
/** `side` is the order's: it sells what was long, whatever `posSide` says, which may be net. `sz`: contracts. */
const forced = z.looseObject({
  instId: z.string(),
  details: z.array(
    z.looseObject({
      side: z.enum(['buy', 'sell']),
      bkPx: decimal,
      sz: decimal,
      ts: z.string().regex(/^\d+$/).transform(Number),
    }),
  ),
});

/**
 * Reads one socket after another: what a contract is worth is told on the same one, before the first liquidation, and
 * again where it changes. At most one liquidation of a contract is told a second, at the price of bankruptcy.
 * @returns reader of a message; acknowledgements and pongs hold no liquidation.
 * @throws Error where one is not as promised, a subscription was refused, or the text is no JSON
 */
export function liquidationReader(): (text: string) => Liquidation[] {
  const coinsOf = new Map<string, number>();
  return (text) => {
    if (text === 'pong') return [];
    const { event, msg, arg, data } = message.parse(JSON.parse(text));
    if (event === 'error') throw new Error(`it said: ${msg}`);
    if (arg?.channel === 'instruments') {
      for (const entry of data) {
        const { success, data: row } = listed.safeParse(entry);
        if (success && contractOf(row.instId) !== undefined) coinsOf.set(row.instId, row.ctVal * row.ctMult);
      }
    }
    if (arg?.channel !== 'liquidation-orders') return [];
    return data.flatMap((entry) => {
      const { instId, details } = forced.parse(entry);
      const contract = contractOf(instId);
      if (contract === undefined) return [];
      const { pair, coins } = contract;
      const size = coinsOf.get(instId);
      if (size === undefined) throw new Error(`it has not said what a contract of ${instId} is`);
      return details.map(
        ({ side, bkPx, sz, ts }): Liquidation => ({
          symbol: pair,
          time: ts,
          side: side === 'sell' ? 'LONG' : 'SHORT',
          price: bkPx * coins,
          quantity: (sz * size) / coins,
        }),
      );
    });
  };
}
