import { z } from 'zod';
import { decimal, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick } from '../venue.ts';
import { time } from './payloads.ts';
import { contractOf } from './symbols.ts';

const message = z.looseObject({
  event: z.string().optional(),
  msg: z.string().default(''),
  arg: z.looseObject({ channel: z.string() }).optional(),
  data: z.array(z.unknown()).default([]),
});

/** Reads a message; an answer to a ping holds nothing. @throws Error if it is not as documented, or says that a subscription was refused */
export function readMessage(text: string): Pick<z.output<typeof message>, 'arg' | 'data'> {
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
