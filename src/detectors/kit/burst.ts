import { z } from 'zod';
import type { Chart } from '../../alert/alert.ts';
import { count, marketName } from '../../language/format.ts';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { bucket, type Rolled, windowSum } from './rolling.ts';
import { charted } from './series.ts';
import type { Event } from './tape.ts';

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
export function grown(past: Burst, events: readonly Event[] = [], window: Rolled['buckets'] = []): Burst {
  const newest = window[0]?.minute ?? Number.POSITIVE_INFINITY;
  return {
    total: events.reduce((sum, { usd }) => sum + usd, past.total),
    longs: events.reduce((sum, { usd, side }) => (side === 'SHORT' ? sum : sum + usd), past.longs),
    minutes: [...past.minutes.filter(({ minute: at }) => at < newest), ...window].slice(-longest),
  };
}

/** What was liquidated minute by minute, and what of it was judged: the sum of the window that ends with each. */
export function burstChart({
  symbol,
  minutes: known,
  enter,
  window,
  until,
}: {
  readonly symbol: string;
  /** Those in which something was liquidated. */
  readonly minutes: Rolled['buckets'];
  readonly enter: number;
  readonly window: number;
  /** Market ms up to which liquidations are known. */
  readonly until: number;
}): Chart {
  const minutes = everyMinute(known, Math.floor(until / minute));
  const bars = (usdOf: (bucket: Rolled['buckets'][number]) => number) =>
    minutes.map((bucket) => [bucket.minute * minute, usdOf(bucket)] as const);
  return charted(msg('{symbol} liquidations per minute', { symbol: marketName(symbol) }), {
    unit: 'USD',
    // Longs downward, as their price went.
    series: [
      { name: msg('shorts'), shape: 'bars', tone: 'good', points: bars(({ short }) => short) },
      { name: msg('longs'), shape: 'bars', tone: 'bad', points: bars(({ long }) => -long) },
    ],
    below: {
      unit: 'USD',
      series: [
        {
          name: msg('In {minutes} min', { minutes: count(window / minute) }),
          points: minutes.map(({ minute: at }) => [
            at * minute,
            windowSum({ buckets: minutes.filter((each) => each.minute <= at) }, at * minute, window),
          ]),
        },
      ],
      marks: [{ name: msg('burst from'), value: enter }],
    },
  });
}

/** With those in which nothing was: between two that are known a line would invent a rise. */
function everyMinute(known: Rolled['buckets'], until: number): Rolled['buckets'] {
  const byMinute = new Map(known.map((bucket) => [bucket.minute, bucket]));
  const last = Math.max(until, known.at(-1)?.minute ?? until);
  const first = Math.max(known[0]?.minute ?? last, last - longest);
  return Array.from(
    { length: last - first + 1 },
    (_, index) => byMinute.get(first + index) ?? { minute: first + index, long: 0, short: 0 },
  );
}
