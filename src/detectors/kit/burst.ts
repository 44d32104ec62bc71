import { z } from 'zod';
import { count, marketName } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { type Drawing, points } from './series.ts';
import { type Buckets, bucket, type Event, windowSum } from './tape.ts';

/** The largest number of minutes that are kept of a burst. */
const maxMinutes = 90;

/** A stretch of time in which far more than usual is liquidated in one market. JSON. */
export const burst = z.object({
  /** USD liquidated since the burst began; `longs` is the part of long positions. */
  total: z.number(),
  longs: z.number(),
  /** Liquidations per minute, from the window before the burst on. They are for its chart. */
  minutes: z.array(bucket),
});
type Burst = z.output<typeof burst>;

/** Returns the burst with new events added to its sums. Minutes of the window replace those that are already kept. */
export function addToBurst(past: Burst, events: readonly Event[], buckets: Buckets): Burst {
  const firstMinute = buckets[0]?.minute ?? Number.POSITIVE_INFINITY;
  return {
    total: events.reduce((sum, { usd }) => sum + usd, past.total),
    longs: events.reduce((sum, { usd, side }) => (side === 'SHORT' ? sum : sum + usd), past.longs),
    minutes: [...past.minutes.filter(({ minute: at }) => at < firstMinute), ...buckets].slice(-maxMinutes),
  };
}

/** What the chart of a burst shows: minutes in which something was liquidated, known until `until`, market ms. */
interface BurstPictureInput extends Record<'enter' | 'window' | 'until', number> {
  readonly buckets: Buckets;
}

/**
 * Returns the chart of a burst: liquidations per minute and, below, what was judged: for each minute the sum of the
 * window, ms, that ends with it, which is a burst from `enter` USD on.
 */
export function burstPicture(symbol: string, { buckets, enter, window, until }: BurstPictureInput): Drawing {
  const minutes = fillMinutes(buckets, Math.floor(until / minute));
  const timed = minutes.map((bucket) => ({ ...bucket, at: bucket.minute * minute }));
  return {
    subject: msg('{symbol} liquidations per minute', { symbol: marketName(symbol) }),
    unit: 'USD',
    // Longs point downward, like the price that liquidates them.
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

/** Returns the latest minutes, with zeros where nothing was liquidated, so that no line crosses a gap. */
function fillMinutes(buckets: Buckets, until: number): Buckets {
  const last = Math.max(until, buckets.at(-1)?.minute ?? until);
  const first = Math.max(buckets[0]?.minute ?? last, last - maxMinutes);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const empty = { minute: first + index, long: 0, short: 0 };
    return buckets.find(({ minute: at }) => at === empty.minute) ?? empty;
  });
}
