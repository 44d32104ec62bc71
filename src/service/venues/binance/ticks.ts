import { z } from 'zod';
import { decimal, rowsIn } from '../../exchanges/rows.ts';
import type { PriceTick } from '../venue.ts';

/** Schema of a market that was traded in the last second, and of the mark of any market. */
const event = z.discriminatedUnion('e', [
  z
    .object({ e: z.literal('24hrMiniTicker'), s: z.string(), E: z.int(), c: decimal })
    .transform(({ s, E, c }): PriceTick => ({ symbol: s, time: E, price: c })),
  z
    .object({ e: z.literal('markPriceUpdate'), s: z.string(), E: z.int(), p: decimal, i: decimal })
    .transform(({ s, E, p, i }): PriceTick => ({ symbol: s, time: E, markPrice: p, indexPrice: i })),
]);
const known: readonly unknown[] = ['24hrMiniTicker', 'markPriceUpdate'];

/**
 * Reads the prices in a message; acknowledgements hold none.
 * @throws Error if no price of the message is as documented, or the text is not JSON
 */
export function parseTicks(text: string): readonly PriceTick[] {
  const { data } = z.looseObject({ data: z.unknown() }).parse(JSON.parse(text));
  const events: readonly unknown[] = Array.isArray(data) ? data : [];
  return rowsIn(
    event,
    events.filter((one) => known.includes((one as { readonly e?: unknown } | null)?.e)),
  );
}
