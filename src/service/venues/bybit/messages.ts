import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { decimal, ifFilled, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick, StreamReading } from '../venue.ts';
import { pairOf } from './symbols.ts';

/** Source: bybit-exchange.github.io/docs/v5, websocket/public. */
const message = z.looseObject({
  topic: z.string().default(''),
  success: z.boolean().optional(),
  ret_msg: z.string().default(''),
});
/** Reads a message. @throws Error if it is not as documented, a subscription was refused, or the text is not JSON */
function readMessage(text: string) {
  const said = message.parse(JSON.parse(text));
  if (said.success === false) throw new Error(`it said: ${said.ret_msg}`);
  return said;
}

/** Schema of a ticker: after the first message only what has changed is sent. */
const ticker = z
  .object({
    symbol: z.string(),
    lastPrice: decimal.optional(),
    markPrice: decimal.optional(),
    indexPrice: decimal.optional(),
  })
  .transform(
    ({ symbol, lastPrice, ...marks }): PriceTick => ({
      symbol: pairOf(symbol),
      price: lastPrice,
      ...marks,
    }),
  );

/**
 * Reads the prices in a message; acknowledgements and pongs hold none.
 * @throws Error if a message is not as documented, a subscription was refused, or the text is not JSON
 */
export function parseTicks(text: string): readonly PriceTick[] {
  const { topic, data, ts } = readMessage(text);
  if (!topic.startsWith('tickers.')) return [];
  const time = z.int().parse(ts);
  return rowsIn(ticker, [data]).map((tick) => ({ ...tick, time }));
}

/** Schema of a liquidation. `S` is the side of the position: Buy is a long. `v` is in coins, `p` is the bankruptcy price. */
const liquidation = z
  .object({ T: z.int(), s: z.string(), S: z.enum(['Buy', 'Sell']), v: decimal, p: decimal })
  .transform(({ T: time, s, S, v: quantity, p: price }) =>
    ifFilled({ symbol: pairOf(s), time, side: S === 'Buy' ? 'LONG' : 'SHORT', price, quantity }),
  );

/**
 * Reads the liquidations in a message; acknowledgements and pongs hold none.
 * @throws Error if a message is not as documented, a subscription was refused, or the text is not JSON
 */
export function parseLiquidations(
  text: string,
  { onDropped }: Partial<StreamReading> = {},
): readonly Liquidation[] {
  const { topic, data } = readMessage(text);
  if (!topic.startsWith('allLiquidation.')) return [];
  return rowsIn(liquidation, z.array(z.unknown()).parse(data), onDropped);
}
