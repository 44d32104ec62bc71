import { z } from 'zod';
import { day, minute } from '../../runtime/units.ts';
import { type Event, type Liquidated, readSoFar, readTape } from './tape.ts';

export const bucket = z.object({ minute: z.int(), long: z.number(), short: z.number() });

export const rolled = z.object({
  /** Minutes of the rolling window in which something was liquidated, ascending. USD. */
  buckets: z.array(bucket),
  /** Decayed sum of the past windows' USD: divided by the weight it is the usual window. */
  past: z.number(),
});
export type Rolled = z.output<typeof rolled>;

/** Sums by name over a rolling window, and what is usual for each: JSON. */
export const rolling = z.object({
  /** Start of the past window being filled. */
  slot: z.number(),
  /** Decayed number of past windows. */
  weight: z.number(),
  names: z.record(z.string(), rolled),
});
export type Rolling = z.output<typeof rolling>;

export interface RollingRules {
  /** ms. */
  readonly window: number;
  /** Half of the past is younger than this, ms. */
  readonly halfLife: number;
  /** Times the usual window that stand out. */
  readonly factor: number;
  /** USD in a window below which nothing stands out. */
  readonly minUsd: number;
}

const startRolling = (at: number, { window }: Pick<RollingRules, 'window'>): Rolling => ({
  slot: Math.floor(at / window) * window,
  weight: 0,
  names: {},
});

/** The sum in a window at which a name stands out against its own past. */
export const standingOut = (
  { past }: Pick<Rolled, 'past'>,
  weight: number,
  { factor, minUsd }: Pick<RollingRules, 'factor' | 'minUsd'>,
): number => Math.max(minUsd, weight === 0 ? 0 : (factor * past) / weight);

/** Minutes of the window that ends with `last`. */
export const windowBuckets = (
  { buckets }: Pick<Rolled, 'buckets'>,
  last: number,
  window: number,
): Rolled['buckets'] => buckets.filter(({ minute: at }) => at > (last - window) / minute);

/** USD of the window that ends with `last`. */
export const windowSum = (one: Pick<Rolled, 'buckets'>, last: number, window: number): number =>
  windowBuckets(one, last, window).reduce((total, { long, short }) => total + long + short, 0);

/** USD of the longs in it. */
export const windowLongs = (one: Pick<Rolled, 'buckets'>, last: number, window: number): number =>
  windowBuckets(one, last, window).reduce((total, { long }) => total + long, 0);

const sum = (buckets: Rolled['buckets'], afterMinute: number, before: number): number =>
  buckets.reduce(
    (total, { minute: at, long, short }) =>
      at > afterMinute && at * minute < before ? total + long + short : total,
    0,
  );

/**
 * Takes in events in the order of time, each under its name, and whole windows into the past: a decaying mean in which
 * what stands out counts for no more than the level at which it does, so that bursts do not become what is usual.
 * Windows that end before `unseenUntil` were not seen whole: they say nothing about what is usual.
 */
export function roll(
  before: Rolling,
  events: readonly Event[],
  nameOf: (event: Event) => string,
  rules: RollingRules & { readonly last: number; readonly unseenUntil?: number | undefined },
): Rolling {
  const { window, halfLife, last, unseenUntil = 0 } = rules;
  const names = new Map(
    Object.entries(before.names).map(([name, one]) => [name, { ...one, buckets: [...one.buckets] }]),
  );
  const decay = 0.5 ** (window / halfLife);
  let { slot, weight } = before;

  const advance = (time: number) => {
    // Longer ago than this nothing weighs: after years of silence the loop need not count every window.
    slot = Math.max(slot, Math.floor((time - 30 * day) / window) * window);
    for (; slot + window <= time; slot += window) {
      if (slot < unseenUntil) continue;
      for (const one of names.values()) {
        const total = sum(one.buckets, (slot - 1) / minute, slot + window);
        one.past = one.past * decay + Math.min(total, standingOut(one, weight, rules));
      }
      weight = weight * decay + 1;
    }
  };
  for (const event of events) {
    advance(event.time);
    const name = nameOf(event);
    const one = names.get(name) ?? { buckets: [], past: 0 };
    names.set(name, { ...one, buckets: added(one.buckets, event) });
  }

  const kept = [...names]
    .map(([name, { past, buckets }]): [string, Rolled] => [
      name,
      { past, buckets: buckets.filter((each) => each.minute > (last - window) / minute - 1) },
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { slot, weight, names: Object.fromEntries(kept) };
}

function added(buckets: Rolled['buckets'], { side, usd, time }: Event): Rolled['buckets'] {
  const at = Math.floor(time / minute);
  const { long, short } = buckets.find((each) => each.minute === at) ?? { long: 0, short: 0 };
  const sides = side === 'SHORT' ? { long, short: short + usd } : { long: long + usd, short };
  return [...buckets.filter((each) => each.minute !== at), { minute: at, ...sides }].sort(
    (a, b) => a.minute - b.minute,
  );
}

/** Liquidations as far as they were read, and their sums: JSON. */
export const rolledTape = z.object({ read: readSoFar, rolling });

/** Takes in an answer. Without events nothing is new, and nothing can be judged. */
export function rollTape(
  past: z.output<typeof rolledTape> | undefined,
  rows: readonly Liquidated[],
  nameOf: (event: Event) => string,
  rules: RollingRules & { readonly now: number },
): z.output<typeof rolledTape> & { readonly events: readonly Event[] } {
  const { read, events, missedUntil: unseenUntil } = readTape(past?.read, rows, rules) ?? { events: [] };
  const before = past?.rolling ?? startRolling(events[0]?.time ?? rules.now, rules);
  if (read === undefined)
    return { read: past?.read ?? { last: rules.now, recent: [], gaps: [] }, rolling: before, events };
  return { read, rolling: roll(before, events, nameOf, { ...rules, last: read.last, unseenUntil }), events };
}
