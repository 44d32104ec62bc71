import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { decimal, ifFilled, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick, StreamReading } from '../venue.ts';
import { contractSize, time } from './payloads.ts';
import { contractOf } from './symbols.ts';

const message = z.looseObject({
  event: z.string().optional(),
  msg: z.string().default(''),
  arg: z.looseObject({ channel: z.string() }).optional(),
  data: z.array(z.unknown()).default([]),
});

/** Reads a message; an answer to a ping holds nothing. @throws Error if it is not as documented, or says that a subscription was refused */
function readMessage(text: string): Pick<z.output<typeof message>, 'arg' | 'data'> {
  if (text === 'pong') return { data: [] };
  const { event, msg, ...rest } = message.parse(JSON.parse(text));
  if (event === 'error') throw new Error(`it said: ${msg}`);
  return rest;
}

const ticker = z.object({ instId: z.string(), last: decimal, ts: time }).transform(({ instId, last, ts }) => {
  const contract = contractOf(instId);
  return contract && ({ symbol: contract.pair, price: last * contract.coins, time: ts } satisfies PriceTick);
});

/** Reads the prices in a message; acknowledgements hold none. @throws Error as `readMessage`, or if no price is as documented */
export function parseTicks(text: string): readonly PriceTick[] {
  const { arg, data } = readMessage(text);
  return arg?.channel === 'tickers' ? rowsIn(ticker, data) : [];
}

/** Liquidations of one instrument. An entry without details is read as one liquidation, and left out as such. */
const forced = z.looseObject({ instId: z.string(), details: z.array(z.looseObject({})) });

/**
 * Reads the liquidations in a message; acknowledgements and pongs hold none. OKX sends at most one liquidation of a contract
 * per second, at the bankruptcy price. The channel of instruments has said nothing after a subscription since 28 December
 * 2022, and only pushes changes (docs-v5, instruments channel); one public client still reports a full list.
 * @throws Error if a message is not as documented, a subscription was refused, or the text is not JSON
 */
export function readLiquidations(
  text: string,
  { sizes, onUnsized, onDropped }: StreamReading,
): readonly Liquidation[] {
  const { arg, data } = readMessage(text);
  if (arg?.channel === 'instruments') {
    for (const { name, quantity } of rowsIn(contractSize, data, onDropped)) sizes.set(name, quantity);
    return [];
  }
  if (arg?.channel !== 'liquidation-orders') return [];
  const entries = data.flatMap((entry) => {
    const { data: row } = forced.safeParse(entry);
    return row === undefined ? [entry] : row.details.map((detail) => ({ ...detail, instId: row.instId }));
  });
  return rowsIn(liquidation({ sizes, onUnsized }), entries, onDropped);
}

/**
 * Schema of a liquidation. `side` is the side of the order: a sell order closes a long. `posSide` is not used because it may
 * be `net`. `sz` is in contracts.
 */
const liquidation = ({ sizes, onUnsized }: Pick<StreamReading, 'sizes' | 'onUnsized'>) =>
  z
    .object({
      instId: z.string(),
      side: z.enum(['buy', 'sell']),
      bkPx: decimal,
      sz: decimal,
      ts: time,
    })
    .transform(({ instId, side, bkPx, sz, ts }) => {
      const contract = contractOf(instId);
      if (contract === undefined) return undefined;
      const size = sizes.get(instId);
      if (size === undefined) return void onUnsized(instId);
      const { pair, coins } = contract;
      return ifFilled({
        symbol: pair,
        time: ts,
        side: side === 'sell' ? 'LONG' : 'SHORT',
        price: bkPx * coins,
        quantity: (sz * size) / coins,
      });
    });
