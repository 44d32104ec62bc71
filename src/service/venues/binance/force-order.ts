import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';

const decimal = z.string().min(1).transform(Number).pipe(z.number().gt(0));

/**
 * Schema of a liquidation order. `S` is the order's side: SELL closes a LONG. `ap` is the average price, `z` the filled
 * quantity. `st` is 1 for USD-M; other values are COIN-M orders, which share the stream since 2026. Before, it was absent.
 */
const forceOrder = z.object({
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
});

/**
 * Reads the liquidations in a message of the stream. The message may be wrapped (`{stream, data}`) and may be a list; other
 * events and acknowledgements hold none.
 * @throws Error if a liquidation is not as documented, or the text is not JSON
 */
export function parseForceOrders(text: string): Liquidation[] {
  const message: unknown = JSON.parse(text);
  const payload = isObject(message) && 'data' in message ? message.data : message;
  return (Array.isArray(payload) ? payload : [payload]).flatMap((event) => {
    if (!isObject(event) || event.e !== 'forceOrder') return [];
    const { o, st } = forceOrder.parse(event);
    if ((st ?? o.st ?? 1) !== 1) return [];
    return [{ symbol: o.s, time: o.T, side: o.S === 'SELL' ? 'LONG' : 'SHORT', price: o.ap, quantity: o.z }];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
