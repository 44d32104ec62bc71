import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DataClient } from '../../contract/data-client.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { day, iso, minute, msOf, second } from '../../runtime/units.ts';
import { lasting, setting } from './settings.ts';

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
  past: { readonly read: ReadSoFar } | undefined,
  { data, signal }: { readonly data: Pick<DataClient, 'liquidations'>; readonly signal: AbortSignal },
): Promise<readonly Liquidated[]> {
  const since = past && { since: iso(past.read.last - tapeOverlap) };
  return (await data.liquidations({ limit: tapeLimit, ...since }, signal)).data;
}

/** An answer, and what is made of it: each event is summed up under a name. */
interface Answer {
  readonly rows: readonly Liquidated[];
  readonly nameOf: (event: Event) => string;
  readonly rules: RollingRules & { readonly now: number };
}

/**
 * What is new in an answer, each event once, in the order of time, though it be asked for twice, come late or share
 * its millisecond. `missedUntil`: the answer was full and did not reach back to the last one, so that what lies before
 * this was not seen whole.
 */
function readTape(past: ReadSoFar | undefined, { rows, rules: { now, window } }: Answer) {
  const before = past ?? { last: 0, recent: [], gaps: [] };
  const known = new Set(before.recent.map(([, hash]) => hash));
  const fresh = new Map<string, Event>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { symbol, side, usd_value } = row;
    const time = msOf(row.event_time);
    oldest = Math.min(oldest, time);
    // What is from the future would stop the clock until then; what is older than was asked for is known.
    if (time > now + minute || time < before.last - tapeOverlap) continue;
    const hash = identity(row);
    if (!known.has(hash)) fresh.set(hash, { symbol, side, usd: Math.round(Math.max(0, usd_value)), time });
  }
  const events = [...fresh.values()].sort((a, b) => a.time - b.time);
  const newest = events.at(-1)?.time;
  if (newest === undefined) return { read: past ?? { ...before, last: now }, events, missedUntil: 0 };
  const last = Math.max(before.last, newest);
  const missed = past !== undefined && rows.length >= tapeLimit && oldest > past.last;
  const added = [...fresh].map(([hash, { time }]): [number, string] => [time, hash]);
  const recent = [...before.recent, ...added].filter(([time]) => time >= last - tapeOverlap);
  const gap: [number, number][] = missed ? [[past.last, oldest]] : [];
  const gaps = [...before.gaps, ...gap].filter(([, to]) => to > last - window);
  const read = { last, recent: recent.sort(([a], [b]) => b - a).slice(0, remembered), gaps };
  return { read, events, missedUntil: missed ? oldest : 0 };
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
export type Buckets = readonly z.output<typeof bucket>[];

const rolled = z.object({
  /** Minutes of the rolling window in which something was liquidated, ascending. USD. */
  buckets: z.array(bucket),
  /** Decayed sum of the past windows' USD: divided by the weight it is the usual window. */
  past: z.number(),
});

/** Liquidations as far as they were read, their sums by name over a rolling window, and what is usual: JSON. */
export const rolledTape = z.object({
  read: readSoFar,
  rolling: z.object({
    /** Start of the past window being filled. */
    slot: z.number(),
    /** Decayed number of past windows. */
    weight: z.number(),
    names: z.record(z.string(), rolled),
  }),
});
type RolledTape = z.output<typeof rolledTape>;

/** What is summed up, and how long its past counts. */
export const windowSettings = {
  window: lasting('15m', 'what is summed up'),
  halfLife: lasting('3d', 'half of the past is younger than this'),
  minHistory: setting(4, 'past windows needed before anything is judged', '[1, ∞)'),
};
/** What stands out is `factor` times the usual window, and `minUsd`. */
type RollingRules = Record<keyof typeof windowSettings | 'factor' | 'minUsd', number>;

/** The window of one name that ends with the newest event. USD. */
interface Window {
  readonly name: string;
  readonly buckets: Buckets;
  readonly sum: number;
  readonly usual: number;
  /** The sum at which it stands out against its own past. */
  readonly level: number;
}

const levelOf = (past: number, { weight, factor, minUsd }: RollingRules & { readonly weight: number }) =>
  Math.max(minUsd, weight === 0 ? 0 : (factor * past) / weight);

/** USD of the window that ends with `last`: all of it, or the longs'. */
// biome-ignore lint/complexity/useMaxParams: added up for every market at every look, also of a replay
export const windowSum = (
  buckets: Buckets,
  last: number,
  window: number,
  of: 'all' | 'longs' = 'all',
): number => {
  let sum = 0;
  for (const { minute: at, long, short } of buckets)
    if (at * minute > last - window && at * minute <= last) sum = sum + long + (of === 'all' ? short : 0);
  return sum;
};

/**
 * Takes in an answer: its events in the order of time, each under its name, and whole windows into the past: a decaying
 * mean in which what stands out counts for no more than the level at which it does, so that bursts do not become what is
 * usual. Without events nothing is new, and nothing can be judged: there are no windows. `judged`: there is past enough.
 */
export function rollTape(past: RolledTape | undefined, answer: Answer) {
  const { nameOf, rules } = answer;
  const { window, halfLife, minHistory } = rules;
  const { read, events, missedUntil } = readTape(past?.read, answer);
  const first = Math.floor((events[0]?.time ?? rules.now) / window) * window;
  const before = past?.rolling ?? { slot: first, weight: 0, names: {} };
  if (events.length === 0) return { tape: { read, rolling: before }, events, windows: [], judged: false };

  const names = new Map(Object.entries(before.names).map(([name, one]) => [name, { ...one }]));
  const decay = 0.5 ** (window / halfLife);
  let { slot, weight } = before;
  for (const event of events) {
    // Longer ago than this nothing weighs: after years of silence the loop need not count every window.
    slot = Math.max(slot, Math.floor((event.time - 30 * day) / window) * window);
    for (; slot + window <= event.time; slot += window) {
      // A window that was not seen whole says nothing about what is usual.
      if (slot < missedUntil) continue;
      const weighed = { ...rules, weight };
      for (const one of names.values()) {
        const total = windowSum(one.buckets, slot + window - 1, window);
        one.past = one.past * decay + Math.min(total, levelOf(one.past, weighed));
      }
      weight = weight * decay + 1;
    }
    const { buckets, past } = names.get(nameOf(event)) ?? { buckets: [], past: 0 };
    names.set(nameOf(event), { past, buckets: added(buckets, event) });
  }

  const { last } = read;
  const oldest = (last - window) / minute - 1;
  const all = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { past, buckets }]) => ({
      name,
      past,
      // Ascending: where the first is young enough all are.
      buckets:
        (buckets[0]?.minute ?? last) > oldest ? buckets : buckets.filter((each) => each.minute > oldest),
    }));
  const weighed = { ...rules, weight };
  const windows = all.map(({ name, past, buckets }): Window => {
    const usual = weight === 0 ? 0 : past / weight;
    const level = levelOf(past, weighed);
    return { name, buckets, sum: windowSum(buckets, last, window), usual, level };
  });
  const lively = all.filter(({ past, buckets }) => past >= 1 || buckets.length > 0);
  const kept = Object.fromEntries(lively.map(({ name, ...one }) => [name, one]));
  const tape = { read, rolling: { slot, weight, names: kept } };
  return { tape, events, windows, judged: weight >= minHistory };
}

function added(buckets: Buckets, { side, usd, time }: Event): z.output<typeof rolled>['buckets'] {
  const at = Math.floor(time / minute);
  const sum = ({ long, short }: Record<'long' | 'short', number>) =>
    side === 'SHORT' ? { minute: at, long, short: short + usd } : { minute: at, long: long + usd, short };
  // Mostly it is the newest: ascending, only what came late stands elsewhere.
  const last = buckets.at(-1);
  if (last === undefined || last.minute < at) return [...buckets, sum({ long: 0, short: 0 })];
  if (last.minute === at) return buckets.with(-1, sum(last));
  const others = buckets.filter((each) => each.minute !== at);
  const known = buckets.find((each) => each.minute === at) ?? { long: 0, short: 0 };
  return [...others, sum(known)].sort((a, b) => a.minute - b.minute);
}
