import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { decimal, ifFilled, rowsIn } from '../../exchanges/rows.ts';
import type { StreamReading } from '../venue.ts';

/**
 * Schema of a liquidation order. `S` is the order's side: SELL closes a LONG. `ap` is the average price, `z` the filled
 * quantity. `st` is 1 for USD-M; other values are COIN-M orders, which share the stream since 2026. Before, it was absent.
 */
const forceOrder = z
  .object({
    e: z.literal('forceOrder'),
    st: z.int().optional(),
    o: z.object({
      s: z.string(),
      S: z.enum(['BUY', 'SELL']),
      ap: decimal,
      z: decimal,
      T: z.int(),
      st: z.int().optional(),
    }),
  })
  .transform(({ o, st }) =>
    (st ?? o.st ?? 1) === 1
      ? ifFilled({
          symbol: o.s,
          time: o.T,
          side: o.S === 'SELL' ? 'LONG' : 'SHORT',
          price: o.ap,
          quantity: o.z,
        })
      : undefined,
  );

/**
 * Reads the liquidations in a message of the stream. The message may be wrapped (`{stream, data}`) and may be a list; other
 * events and acknowledgements hold none.
 * @throws Error if no liquidation of the message is as documented, or the text is not JSON
 */
export function parseForceOrders(
  text: string,
  { onDropped }: Partial<StreamReading> = {},
): readonly Liquidation[] {
  const message: unknown = JSON.parse(text);
  const payload = isObject(message) && 'data' in message ? message.data : message;
  const events = Array.isArray(payload) ? payload : [payload];
  const entries = events.filter((event) => isObject(event) && event.e === 'forceOrder');
  return rowsIn(forceOrder, entries, onDropped);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
