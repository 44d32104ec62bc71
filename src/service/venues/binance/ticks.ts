import { z } from 'zod';
import type { PriceTick } from '../venue.ts';

/** A market that was traded in the last second, or the mark of any market. */
interface Told {
  readonly e?: unknown;
  readonly s?: unknown;
  readonly E?: unknown;
  readonly c?: unknown;
  readonly p?: unknown;
  readonly i?: unknown;
}

const message = z.looseObject({ data: z.unknown() });

/** Returns a price written as text; NaN: it is none. */
const priceOf = (text: unknown): number => {
  const price = typeof text === 'string' ? Number(text) : Number.NaN;
  return price > 0 && price < Number.POSITIVE_INFINITY ? price : Number.NaN;
};

/**
 * Returns the price or the marks of a market; null where they are not as documented. By hand, because more than a thousand come
 * every second: a schema for each costs as much as all else that is done with them.
 */
function tickOf({ e, s: symbol, E: time, c, p, i }: Told): PriceTick | null {
  if (typeof symbol !== 'string' || typeof time !== 'number' || !Number.isSafeInteger(time)) return null;
  if (e === '24hrMiniTicker') {
    const price = priceOf(c);
    return Number.isNaN(price) ? null : { symbol, time, price };
  }
  const [markPrice, indexPrice] = [priceOf(p), priceOf(i)];
  return Number.isNaN(markPrice + indexPrice) ? null : { symbol, time, markPrice, indexPrice };
}
const known: readonly unknown[] = ['24hrMiniTicker', 'markPriceUpdate'];

/**
 * Reads the prices in a message; acknowledgements hold none. Of what is not as documented nothing is read.
 * @throws Error if no price of the message is as documented, or the text is not JSON
 */
export function parseTicks(text: string): readonly PriceTick[] {
  const { data } = message.parse(JSON.parse(text));
  const events: readonly (Told | null)[] = Array.isArray(data) ? data : [];
  const ticks: PriceTick[] = [];
  let isOdd = false;
  for (const event of events) {
    if (!known.includes(event?.e)) continue;
    const tick = tickOf(event as Told);
    if (tick === null) isOdd = true;
    else ticks.push(tick);
  }
  if (isOdd && ticks.length === 0) throw new Error('none of its prices is as documented');
  return ticks;
}
