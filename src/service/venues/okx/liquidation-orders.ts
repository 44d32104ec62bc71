import { z } from 'zod';
import type { Liquidation } from '../../archive/archive.ts';
import { decimal, ifFilled, rowsIn } from '../../exchanges/rows.ts';
import type { StreamReading } from '../venue.ts';
import { readMessage } from './messages.ts';
import { contractSize } from './payloads.ts';
import { contractOf } from './symbols.ts';

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
      ts: z.string().regex(/^\d+$/).transform(Number),
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
