import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';

const decimal = z.string().min(1).transform(Number).pipe(z.number().gt(0));

/**
 * One liquidation order. S is the order's side: SELL closes a LONG. `ap` is the average price, `z` what was filled.
 * `st`: 1 is USD-M, others are COIN-M's, which share the stream since 2026; absent before.
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
 * Liquidations in one message of the stream, which may be wrapped (`{stream, data}`) or a list; other events and
 * acknowledgements hold none.
 * @throws Error where a liquidation is not as promised, or the text is no JSON
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
