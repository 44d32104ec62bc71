import { z } from 'zod';
import { decimal, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick } from '../venue.ts';

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
