import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DataClient } from '../../contract/data-client.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { day, iso, minute, msOf, second } from '../../runtime/units.ts';

/** The most an answer holds, as the interface says. */
export const tapeLimit = 500;
/** Events can arrive this late: they are asked for again from here on. */
const tapeOverlap = 60 * second;
/** What an answer can bring again is among the newest 500; the rest is for those that share a millisecond. */
const remembered = 600;

/** How far a tape of liquidations has been read: JSON. */
const readSoFar = z.object({
  /** Of the newest event, ms. */
  last: z.number(),
  /** Newest first, those that may come again. */
  recent: z.array(z.tuple([z.number(), z.string()])),
  /** Stretches of the window that could not be fetched. */
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
type ReadSoFar = z.output<typeof readSoFar>;

/** As the data service sends it. */
export type Liquidated = EndpointAnswer<'liquidations'>['data'][number];

export interface Event extends Pick<Liquidated, 'symbol' | 'side'> {
  readonly usd: number;
  readonly time: number;
}

/** The newest events since the last that was read. Throws ApiError. */
export async function liquidationsAfter(
  past: ReadSoFar | undefined,
  { data, signal }: { readonly data: Pick<DataClient, 'liquidations'>; readonly signal: AbortSignal },
): Promise<readonly Liquidated[]> {
  const since = past && { since: iso(past.last - tapeOverlap) };
  return (await data.liquidations({ limit: tapeLimit, ...since }, signal)).data;
}

/**
 * What is new in an answer, each event once, in the order of time, though it be asked for twice, come late or share
 * its millisecond. `missedUntil`: the answer was full and did not reach back to the last one, so that what lies before
 * this was not seen whole.
 */
function readTape(
  past: ReadSoFar | undefined,
  { rows, now, window }: { readonly rows: readonly Liquidated[] } & Record<'now' | 'window', number>,
): { readonly read: ReadSoFar; readonly events: readonly Event[]; readonly missedUntil?: number } {
  const before: ReadSoFar = past ?? { last: now, recent: [], gaps: [] };
  const known = new Set(before.recent.map(([, hash]) => hash));
  const fresh = new Map<string, Event>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { symbol, side, usd_value } = row;
    const time = msOf(row.event_time);
    oldest = Math.min(oldest, time);
    // What is from the future would stop the clock until then; what is older than was asked for is known.
    if (time > now + minute || time < (past?.last ?? 0) - tapeOverlap) continue;
    const hash = identity(row);
    if (!known.has(hash)) fresh.set(hash, { symbol, side, usd: Math.round(Math.max(0, usd_value)), time });
  }
  const events = [...fresh.values()].sort((a, b) => a.time - b.time);
  const newest = events.at(-1)?.time;
  if (newest === undefined) return { read: before, events };
  const last = Math.max(past?.last ?? 0, newest);
  const missed = past !== undefined && rows.length >= tapeLimit && oldest > past.last;
  const added = [...fresh].map(([hash, { time }]): [number, string] => [time, hash]);
  const recent = [...before.recent, ...added].filter(([time]) => time >= last - tapeOverlap);
  const gap: [number, number][] = missed ? [[past.last, oldest]] : [];
  const gaps = [...before.gaps, ...gap].filter(([, to]) => to > last - window);
  const read = { last, recent: recent.sort(([a], [b]) => b - a).slice(0, remembered), gaps };
  return { read, events, ...(missed && { missedUntil: oldest }) };
}

/** By row: two detectors read one answer. */
const identities = new WeakMap<Liquidated, string>();

/** The whole record: several events share one millisecond. */
function identity(row: Liquidated): string {
  const known = identities.get(row);
  if (known !== undefined) return known;
  const { symbol, side, price, quantity, usd_value, event_time } = row;
  const text = JSON.stringify([symbol, side, price, quantity, usd_value, event_time]);
  const made = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  identities.set(row, made);
  return made;
}

export const bucket = z.object({ minute: z.int(), long: z.number(), short: z.number() });

const rolled = z.object({
  /** Minutes of the rolling window in which something was liquidated, ascending. USD. */
  buckets: z.array(bucket),
  /** Decayed sum of the past windows' USD: divided by the weight it is the usual window. */
  past: z.number(),
});
export type Rolled = z.output<typeof rolled>;

/** Sums by name over a rolling window, and what is usual for each: JSON. */
const rolling = z.object({
  /** Start of the past window being filled. */
  slot: z.number(),
  /** Decayed number of past windows. */
  weight: z.number(),
  names: z.record(z.string(), rolled),
});
type Rolling = z.output<typeof rolling>;

/** `window` and `halfLife`, of the past, in ms; what stands out is `factor` times the usual window, and `minUsd`. */
type RollingRules = Record<'window' | 'halfLife' | 'factor' | 'minUsd', number>;

/** The sum in a window at which a name stands out against its own past. */
export const standingOut = (
  { past }: Pick<Rolled, 'past'>,
  { weight, factor, minUsd }: { readonly weight: number } & Pick<RollingRules, 'factor' | 'minUsd'>,
): number => Math.max(minUsd, weight === 0 ? 0 : (factor * past) / weight);

/** USD of the window that ends with `last`: all of it, or the longs'. */
// biome-ignore lint/complexity/useMaxParams: added up for every market at every look, also of a replay
export const windowSum = (
  { buckets }: Pick<Rolled, 'buckets'>,
  last: number,
  window: number,
  of: 'all' | 'longs' = 'all',
): number =>
  buckets
    .filter(({ minute: at }) => at * minute > last - window && at * minute <= last)
    .reduce((sum, { long, short }) => sum + long + (of === 'all' ? short : 0), 0);

/**
 * Takes in events in the order of time, each under its name, and whole windows into the past: a decaying mean in which
 * what stands out counts for no more than the level at which it does, so that bursts do not become what is usual.
 * Windows that end before `unseenUntil` were not seen whole: they say nothing about what is usual.
 */
function roll(
  before: Rolling,
  {
    events,
    nameOf,
    rules,
  }: {
    readonly events: readonly Event[];
    readonly nameOf: (event: Event) => string;
    readonly rules: RollingRules & { readonly last: number; readonly unseenUntil?: number | undefined };
  },
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
        const total = windowSum(one, slot + window - 1, window);
        one.past = one.past * decay + Math.min(total, standingOut(one, { ...rules, weight }));
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

  const kept: Rolling['names'] = {};
  for (const [name, { past, buckets }] of [...names].sort(([a], [b]) => (a < b ? -1 : 1)))
    kept[name] = { past, buckets: buckets.filter((each) => each.minute > (last - window) / minute - 1) };
  return { slot, weight, names: kept };
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
  {
    rows,
    nameOf,
    rules,
  }: {
    readonly rows: readonly Liquidated[];
    readonly nameOf: (event: Event) => string;
    readonly rules: RollingRules & { readonly now: number };
  },
): z.output<typeof rolledTape> & { readonly events: readonly Event[] } {
  const { read, events, missedUntil: unseenUntil } = readTape(past?.read, { ...rules, rows });
  const slot = Math.floor((events[0]?.time ?? rules.now) / rules.window) * rules.window;
  const before = past?.rolling ?? { slot, weight: 0, names: {} };
  if (events.length === 0) return { read, rolling: before, events };
  const next = roll(before, { events, nameOf, rules: { ...rules, last: read.last, unseenUntil } });
  return { read, rolling: next, events };
}
