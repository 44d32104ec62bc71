import { createHash } from 'node:crypto';
import { z } from 'zod';
import { allLiquidations, type Coverage, type LiquidationRow } from '../../client/all-liquidations.ts';
import type { DataClient } from '../../contract/data-client.ts';
import { listOf, msg } from '../../language/text.ts';
import { day, hour, iso, minute, second } from '../../runtime/units.ts';
import { addToWeek, factorsOf, hourOfWeek, newWeek, week } from '../../runtime/week.ts';
import type { FactPair } from './define-episodes.ts';
import { isKnowable } from './known.ts';
import * as setting from './settings.ts';

/** The largest number of events in one answer, as in src/contract/liquidations.ts. */
export const tapeLimit = 500;
/** How late an event can arrive: each request starts this long before the newest known event. */
const tapeOverlap = 60 * second;
/** How many events are remembered, so as not to count them twice: an answer's 500, and some that share a millisecond. */
const maxRemembered = 600;

/** How far the stream of liquidations (the tape) has been read. JSON. */
const readSoFar = z.object({
  /** Time of the newest event, ms. */
  last: z.number(),
  /** Events that may come again, newest first: [time in ms, hash]. */
  recent: z.array(z.tuple([z.number(), z.string()])),
  /** Parts of the rolling window that could not be fetched: [from, to], ms. */
  gaps: z.array(z.tuple([z.number(), z.number()])),
});
type ReadSoFar = z.output<typeof readSoFar>;

/** A liquidation as the data service sends it, at any venue. */
export type Liquidated = LiquidationRow;

export interface Event extends Pick<Liquidated, 'symbol' | 'side'> {
  readonly usd: number;
  readonly time: number;
}

/**
 * Asks for the newest events, at most `tapeLimit`, since the last event that was read.
 *
 * @throws ApiError
 */
export async function liquidationsAfter(
  past: { readonly read: ReadSoFar } | undefined,
  data: Pick<DataClient, 'liquidations' | 'venueLiquidations'>,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly Liquidated[]; readonly coverage: Coverage }> {
  const since = past && { since: iso(past.read.last - tapeOverlap) };
  const { data: rows, coverage } = await allLiquidations(data, { limit: tapeLimit, ...since }, signal);
  return { rows, coverage };
}

/** Says which exchanges’ liquidations are counted, and how much of them each publishes. */
export const coverageFacts = (coverage: Coverage = []): FactPair[] =>
  coverage.length === 0
    ? []
    : [
        [
          msg('Counted'),
          listOf(
            coverage.map(({ title, publishes }) =>
              publishes === 'ALL'
                ? msg('{exchange} (all)', { exchange: title })
                : msg('{exchange} (at most one a second and market)', { exchange: title }),
            ),
          ),
        ],
      ];

/** An answer, and how it is summed up: each event counts under the name that `nameOf` returns. */
interface Answer {
  readonly rows: readonly Liquidated[];
  readonly nameOf: (event: Event) => string;
  readonly rules: RollingRules & { readonly now: number };
}

/**
 * Finds the new events of an answer, in the order of time. Each event is returned once, even if it is fetched twice,
 * arrives late or shares its millisecond with others. `missedUntil`: the answer was full and did not reach back to the
 * last event that was read, so that events before this time, ms, may be missing; else 0.
 */
function readTape(past: ReadSoFar | undefined, { rows, rules: { now, window } }: Answer) {
  const before = past ?? { last: 0, recent: [], gaps: [] };
  const knownHashes = new Set(before.recent.map(([, hash]) => hash));
  const newEventsByHash = new Map<string, Event>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const { symbol, side, usd_value } = row;
    const time = Date.parse(row.event_time);
    oldest = Math.min(oldest, time);
    // An event from the future would hold up the tape's time until then. One older than the request's start is known.
    if (!isKnowable(time, now) || time < before.last - tapeOverlap) continue;
    const hash = identity(row);
    const usd = Math.round(Math.max(0, usd_value));
    if (!knownHashes.has(hash)) newEventsByHash.set(hash, { symbol, side, usd, time });
  }
  const events = [...newEventsByHash.values()].sort((a, b) => a.time - b.time);
  const newest = events.at(-1)?.time;
  if (newest === undefined) return { read: past ?? { ...before, last: now }, events, missedUntil: 0 };
  const last = Math.max(before.last, newest);
  // A service that repeats rows may give more of them than it was asked for.
  const isFull = rows.length === tapeLimit || distinct(rows).length >= tapeLimit;
  const missed = past !== undefined && isFull && oldest > past.last;
  const added = [...newEventsByHash].map(([hash, { time }]): [number, string] => [time, hash]);
  const recent = [...before.recent, ...added]
    .filter(([time]) => time >= last - tapeOverlap)
    .sort(([a], [b]) => b - a)
    .slice(0, maxRemembered);
  const gap: [number, number][] = missed ? [[past.last, oldest]] : [];
  const gaps = [...before.gaps, ...gap].filter(([, to]) => to > last - window);
  return { read: { last, recent, gaps }, events, missedUntil: missed ? oldest : 0 };
}

/** Returns the rows of an answer, each once. */
export const distinct = (rows: readonly Liquidated[]): readonly Liquidated[] => [
  ...new Map(rows.map((row) => [identity(row), row])).values(),
];

/** The hash of each row, cached because two detectors read the same answer. */
const identities = new WeakMap<Liquidated, string>();

const identity = (row: Liquidated): string => identities.getOrInsertComputed(row, hashOf);

/** Returns a hash of the whole record, because several events can share one millisecond. */
function hashOf({ symbol, side, price, quantity, usd_value, event_time, venue }: Liquidated): string {
  const text = JSON.stringify([symbol, side, price, quantity, usd_value, event_time, venue]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

export const bucket = z.object({ minute: z.int(), long: z.number(), short: z.number() });
type Bucket = z.output<typeof bucket>;
export type Buckets = readonly Bucket[];

const rolled = z.object({
  /** Minutes of the rolling window in which something was liquidated, ascending. USD. */
  buckets: z.array(bucket),
  /** Decayed sum of the past windows, USD. Divided by `weight` it is the sum of a usual window. */
  past: z.number(),
});

/** How far liquidations have been read, their sums by name over a rolling window, and what sums are usual. JSON. */
export const rolledTape = z.object({
  read: readSoFar,
  rolling: z.object({
    /** Start of the window that is being filled, ms. Complete windows before it have been added to the past. */
    slot: z.number(),
    /** Decayed number of past windows. */
    weight: z.number(),
    /** The length of the windows, ms. With another length nothing is usual yet. Absent: the state is of an earlier version. */
    window: z.number().optional(),
    names: z.record(z.string(), rolled),
    /** The last window of each hour of the week: the sum of all names, beside what was usual for them. */
    week: week.optional(),
  }),
});
type RolledTape = z.output<typeof rolledTape>;

/** The options of a rolling window and of its past. */
export const windowSettings = {
  window: setting.duration('15m', 'what is summed up'),
  halfLife: setting.duration('3d', 'half of the past is younger than this'),
  minHistory: setting.number(4, 'past windows needed before anything is judged', '[1, ∞)'),
};
/** A window stands out if its sum is at least `factor` times the usual window and at least `minUsd`. */
type RollingRules = Record<keyof typeof windowSettings | 'factor' | 'minUsd', number>;

/** The rolling window of one name, which ends with the newest event. All sums are in USD. */
interface Window {
  readonly name: string;
  readonly buckets: Buckets;
  readonly sum: number;
  readonly usual: number;
  /** The sum from which the window stands out against the name's own past, at this hour of the week. */
  readonly level: number;
}

/** Returns the USD liquidated in the window that ends at `last`, ms: of all positions or of longs only. */
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
 * Adds an answer to the tape: its events, in the order of time, to the sums under their names, and complete windows to
 * the past. The past is a decaying mean; a window that stands out counts in it only up to the level from which windows
 * stand out, so that bursts do not become usual. What is usual at an hour of the week is learnt from all names together. Without
 * new events there is nothing to judge, and `windows` is empty.
 * `judged`: there are enough past windows to judge by.
 */
export function rollTape(previous: RolledTape | undefined, answer: Answer) {
  const { nameOf, rules } = answer;
  const { window, halfLife, minHistory, factor, minUsd } = rules;
  const { read, events, missedUntil } = readTape(previous?.read, answer);
  const first = Math.floor((events[0]?.time ?? rules.now) / window) * window;
  const past = (previous?.rolling.window ?? window) === window ? previous?.rolling : undefined;
  const before = past ?? { slot: first, weight: 0, names: {} };
  if (events.length === 0)
    return {
      tape: { read, rolling: before },
      events,
      windows: [],
      judged: before.weight >= minHistory,
      hourKnown: false,
    };

  const rolledByName = new Map(Object.entries(before.names).map(([name, one]) => [name, { ...one }]));
  const decay = 0.5 ** (window / halfLife);
  let { slot, weight } = before;
  const byHour = structuredClone(before.week) ?? newWeek();
  let factors = factorsOf(byHour);
  const usualAt = (past: number, at: number) =>
    weight === 0 ? 0 : ((factors[hourOfWeek(at)] ?? 1) * past) / weight;
  const levelOf = (past: number, at: number) => Math.max(minUsd, factor * usualAt(past, at));
  for (const event of events) {
    // Windows that are older than 30 days hardly count. Skipping them keeps this loop short after years of silence.
    slot = Math.max(slot, Math.floor((event.time - 30 * day) / window) * window);
    for (; slot + window <= event.time; slot += window) {
      // A window that was not seen whole says nothing about what is usual.
      if (slot < missedUntil) continue;
      let [seen, expected] = [0, 0];
      for (const one of rolledByName.values()) {
        const total = Math.min(windowSum(one.buckets, slot + window - 1, window), levelOf(one.past, slot));
        seen += total;
        expected += one.past;
        one.past = one.past * decay + total;
      }
      if (weight >= minHistory && Math.floor((slot + window) / hour) > Math.floor(slot / hour)) {
        addToWeek(byHour, { at: slot, size: (seen * weight) / expected });
        factors = factorsOf(byHour);
      }
      weight = weight * decay + 1;
    }
    const { buckets, past } = rolledByName.get(nameOf(event)) ?? { buckets: [], past: 0 };
    rolledByName.set(nameOf(event), { past, buckets: addToBuckets(buckets, event) });
  }

  const { last } = read;
  const oldest = (last - window) / minute - 1;
  const names: RolledTape['rolling']['names'] = {};
  const windows = [...rolledByName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { past, buckets: all }]): Window => {
      // Buckets are ascending: if the first is young enough, all are.
      const buckets = (all[0]?.minute ?? last) > oldest ? all : all.filter((each) => each.minute > oldest);
      if (past >= 1 || buckets.length > 0) names[name] = { past, buckets };
      const sum = windowSum(buckets, last, window);
      return { name, buckets, sum, usual: usualAt(past, last), level: levelOf(past, last) };
    });
  const tape = { read, rolling: { slot, weight, window, names, week: byHour } };
  const hourKnown = factors.some((each) => each !== 1);
  return { tape, events, windows, judged: weight >= minHistory, hourKnown };
}

/** Returns the buckets with one more event. They are ascending, and an event mostly belongs to the newest. */
function addToBuckets(buckets: Bucket[], { side, usd, time }: Event): Bucket[] {
  const at = Math.floor(time / minute);
  const index = buckets.findLastIndex((each) => each.minute <= at);
  const found = buckets[index];
  const isKnown = found?.minute === at;
  const { long, short } = isKnown ? found : { long: 0, short: 0 };
  const sum =
    side === 'SHORT' ? { minute: at, long, short: short + usd } : { minute: at, long: long + usd, short };
  return isKnown ? buckets.with(index, sum) : buckets.toSpliced(index + 1, 0, sum);
}
