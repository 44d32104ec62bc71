import { z } from 'zod';
import { count, marketName } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { type Drawing, points } from './series.ts';
import { bucket, type Event, type Rolled, windowSum } from './tape.ts';

/** Minutes that are kept of a burst. */
const longest = 90;

/** One stretch in which far more is liquidated than usual, of one market, all of it: JSON. */
export const burst = z.object({
  /** USD since it began, and the longs' part of it. */
  total: z.number(),
  longs: z.number(),
  /** Its minutes, from the window before it on: for its chart. */
  minutes: z.array(bucket),
});
type Burst = z.output<typeof burst>;

/** With what was liquidated since, and the minutes of the window as they are now known: each once. */
export function grown(
  past: Burst,
  {
    events = [],
    window = [],
  }: { readonly events?: readonly Event[] | undefined; readonly window?: Rolled['buckets'] | undefined } = {},
): Burst {
  const newest = window[0]?.minute ?? Number.POSITIVE_INFINITY;
  return {
    total: events.reduce((sum, { usd }) => sum + usd, past.total),
    longs: events.reduce((sum, { usd, side }) => (side === 'SHORT' ? sum : sum + usd), past.longs),
    minutes: [...past.minutes.filter(({ minute: at }) => at < newest), ...window].slice(-longest),
  };
}

/**
 * What was liquidated minute by minute, and what of it was judged: the sum of the window that ends with each.
 *
 * @param known minutes in which something was liquidated @param until market ms up to which liquidations are known
 */
export function burstPicture(
  symbol: string,
  {
    known,
    enter,
    window,
    until,
  }: { readonly known: Rolled['buckets'] } & Record<'enter' | 'window' | 'until', number>,
): Drawing {
  const minutes = everyMinute(known, Math.floor(until / minute));
  const timed = minutes.map((bucket) => ({ ...bucket, at: bucket.minute * minute }));
  const sums = points(timed, ({ at }) => windowSum({ buckets: minutes }, at, window));
  return {
    of: msg('{symbol} liquidations per minute', { symbol: marketName(symbol) }),
    unit: 'USD',
    // Longs downward, as their price went.
    series: [
      { name: msg('shorts'), shape: 'bars', tone: 'good', points: points(timed, ({ short }) => short) },
      { name: msg('longs'), shape: 'bars', tone: 'bad', points: points(timed, ({ long }) => -long) },
    ],
    below: {
      unit: 'USD',
      line: [msg('In {minutes} min', { minutes: count(window / minute) }), sums],
      marks: [[msg('burst from'), enter]],
    },
  };
}

/** With those in which nothing was: between two that are known a line would invent a rise. */
function everyMinute(known: Rolled['buckets'], until: number): Rolled['buckets'] {
  const byMinute = new Map(known.map((bucket) => [bucket.minute, bucket]));
  const last = Math.max(until, known.at(-1)?.minute ?? until);
  const first = Math.max(known[0]?.minute ?? last, last - longest);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = first + index;
    return byMinute.get(at) ?? { minute: at, long: 0, short: 0 };
  });
}
