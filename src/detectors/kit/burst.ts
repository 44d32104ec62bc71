import { z } from 'zod';
import { count, marketName } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { type Drawing, points } from './series.ts';
import { type Buckets, bucket, type Event, windowSum } from './tape.ts';

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
  { events, buckets }: { readonly events: readonly Event[]; readonly buckets: Buckets },
): Burst {
  const newest = buckets[0]?.minute ?? Number.POSITIVE_INFINITY;
  return {
    total: events.reduce((sum, { usd }) => sum + usd, past.total),
    longs: events.reduce((sum, { usd, side }) => (side === 'SHORT' ? sum : sum + usd), past.longs),
    minutes: [...past.minutes.filter(({ minute: at }) => at < newest), ...buckets].slice(-longest),
  };
}

/** What is drawn of a burst: `until`, market ms, liquidations are known, and from `enter` on a window is one. */
interface Drawn extends Record<'enter' | 'window' | 'until', number> {
  /** Minutes in which something was liquidated. */
  readonly known: Buckets;
}

/** What was liquidated minute by minute, and what of it was judged: the sum of the window that ends with each. */
export function burstPicture(symbol: string, { known, enter, window, until }: Drawn): Drawing {
  const minutes = everyMinute(known, Math.floor(until / minute));
  const timed = minutes.map((bucket) => ({ ...bucket, at: bucket.minute * minute }));
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
      line: [
        msg('In {minutes} min', { minutes: count(window / minute) }),
        points(timed, ({ at }) => windowSum(minutes, at, window)),
      ],
      marks: [[msg('burst from'), enter]],
    },
  };
}

/** With those in which nothing was: between two that are known a line would invent a rise. */
function everyMinute(known: Buckets, until: number): Buckets {
  const last = Math.max(until, known.at(-1)?.minute ?? until);
  const first = Math.max(known[0]?.minute ?? last, last - longest);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const quiet = { minute: first + index, long: 0, short: 0 };
    return known.find(({ minute: at }) => at === quiet.minute) ?? quiet;
  });
}
