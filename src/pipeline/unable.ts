import { z } from 'zod';
import { time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { MarketClock } from '../runtime/clock.ts';
import { minute, second } from '../runtime/units.ts';

/** What a stored state may hold of each market or value that it follows; any state may lack it. */
const followed = z.object({ values: z.record(z.string(), z.object({ seen: z.number() })) });

/** Returns why a detector with this state cannot fire, whatever the market does; undefined: it can. */
export function whyUnable(
  state: unknown,
  {
    able,
    universe,
    market: { now, speed },
  }: {
    readonly able: boolean | undefined;
    readonly universe: readonly string[];
    readonly market: MarketClock;
  },
): Text | undefined {
  const values = Object.entries(followed.safeParse(state).data?.values ?? {});
  const ahead = values.filter(([, { seen }]) => seen > now() + minute + 10 * second * speed);
  if (values.length > 0 && ahead.length === values.length)
    return msg('can’t fire: its data is dated {time}', {
      time: time(Math.min(...ahead.map(([, { seen }]) => seen))),
    });
  const markets = values.map(([key]) => key).filter((key) => isPair.test(key));
  if (universe.length > 0 && markets.length > 0 && !markets.some((symbol) => universe.includes(symbol)))
    return msg('can’t fire: none of its markets is listed');
  if (able === false) return msg('can’t fire: not enough data to judge by');
  return undefined;
}

const isPair = /^[A-Z0-9]+USD[TC]$/;
