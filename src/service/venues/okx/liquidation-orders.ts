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
/** An instrument. One contract is `ctVal` × `ctMult` coins. */
const listed = z.looseObject({ instId: z.string(), ctVal: decimal, ctMult: decimal.catch(1) });
/**
 * Liquidations of one instrument. `side` is the side of the order: a sell order closes a long. `posSide` is not used because
 * it may be `net`. `sz` is in contracts.
 */
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
 * Creates a reader of messages, which may be used for several sockets in succession. The exchange sends the size of each
 * contract on the same socket before the first liquidation, and again when it changes. It sends at most one liquidation of
 * a contract per second, at the bankruptcy price.
 * @returns function that returns the liquidations in a message; acknowledgements and pongs hold none. The function throws
 * an Error if a message is not as documented, a subscription was refused, or the text is not JSON.
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
