import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { decimal, ifFilled, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick, StreamReading } from '../venue.ts';

const message = z.looseObject({ data: z.unknown() });

const event = { s: z.string(), E: z.int() };
/** Schema of a market that was traded in the last second, or of the mark of any market. */
const tick = z.discriminatedUnion('e', [
  z
    .object({ e: z.literal('24hrMiniTicker'), ...event, c: decimal })
    .transform(({ s: symbol, E: time, c: price }): PriceTick => ({ symbol, time, price })),
  z.object({ e: z.literal('markPriceUpdate'), ...event, p: decimal, i: decimal }).transform(
    ({ s: symbol, E: time, p: markPrice, i: indexPrice }): PriceTick => ({
      symbol,
      time,
      markPrice,
      indexPrice,
    }),
  ),
]);
const known: readonly unknown[] = ['24hrMiniTicker', 'markPriceUpdate'];

/**
 * Reads the prices in a message; acknowledgements hold none. Of what is not as documented nothing is read.
 * @throws Error if no price of the message is as documented, or the text is not JSON
 */
export function parseTicks(text: string): readonly PriceTick[] {
  const { data } = message.parse(JSON.parse(text));
  const events: readonly ({ readonly e?: unknown } | null)[] = Array.isArray(data) ? data : [];
  return rowsIn(
    tick,
    events.filter((each) => known.includes(each?.e)),
  );
}

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
