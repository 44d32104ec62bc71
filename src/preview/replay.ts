import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { type Alert, fingerprint, revise } from '../alert/alert.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { Detector } from '../detectors/detector.ts';
import { ApiError } from '../runtime/errors.ts';
import { createSchedule } from '../runtime/schedule.ts';
import { day } from '../runtime/units.ts';
import { asLive } from './as-live.ts';

/** Looks between two pauses for other work: some milliseconds. */
const looksPerSlice = 50;

export interface Replayed {
  readonly detector: Detector;
  /** Options as parsed by the detector's schema. */
  readonly options: unknown;
  /** Replaces the detector's own schedule. */
  readonly schedule?: string;
  /** Where an earlier replay ended, which this one continues. */
  readonly standing?: ReplayEnd | undefined;
}

/** The alerts of stored rows are those of the detectors, which wrote them. */
export const storedAlert = z.custom<Alert>((value) => typeof value === 'object' && value !== null);

/** Where the replay of a detector has ended, as plain JSON. */
export const replayEnd = z.object({
  state: z.unknown(),
  open: z.array(storedAlert),
  /** Market ms at which the detector first got data. */
  seenSince: z.number().optional(),
});
export type ReplayEnd = z.output<typeof replayEnd>;

/** Times are market ms. */
export interface ReplayOptions {
  readonly detectors: readonly Replayed[];
  /** Returns a client that answers as the data service would have answered at that moment. */
  readonly at: (now: number) => DataClient;
  /** Both ends are included. */
  readonly from: number;
  readonly to: number;
  /**
   * How long before `from` the detectors watch without sending alerts, so that what had already begun is not reported
   * as new. The default is a day.
   */
  readonly warmUp?: number;
  /** Symbols that people subscribe to. */
  readonly symbols?: readonly string[];
  readonly signal?: AbortSignal;
  /** Called with every revision from `from` on, in the order of time. */
  readonly onAlert: (alert: Alert) => void | Promise<void>;
}

export interface ReplayResult {
  /** Detectors whose data was not recorded. */
  readonly notRecorded: readonly string[];
  /** How many looks of each detector failed because the recording has a gap. */
  readonly unseen: Readonly<Record<string, number>>;
  /** Market ms at which each detector first got data. */
  readonly seenSince: Readonly<Record<string, number>>;
  /** Returns where the replay of a detector ended. */
  standing(name: string): ReplayEnd;
}

/**
 * Runs the detectors' own observe and step over past market time: every tick of every detector's schedule, in the order
 * of time and, at the same time, of the list. The result depends on the options alone.
 */
export async function replay({
  detectors,
  at,
  from,
  to,
  warmUp = day,
  symbols = [],
  signal = new AbortController().signal,
  onAlert,
}: ReplayOptions): Promise<ReplayResult> {
  const notRecorded = new Set<string>();
  const unseen: Record<string, number> = {};
  /** Until when each detector's requests have no answer, market ms. */
  const unansweredUntil: Record<string, number> = {};
  const open = new Map<string, Alert>();
  const states = new Map<string, unknown>();
  const past = asLive(at);
  const seenSince: Record<string, number> = {};
  for (const { detector, standing } of detectors) {
    if (standing === undefined) continue;
    states.set(detector.name, standing.state);
    if (standing.seenSince !== undefined) seenSince[detector.name] = standing.seenSince;
    for (const alert of standing.open) open.set(alert.fingerprint, alert);
  }
  let looks = 0;

  for (const [now, { detector, options }] of ticks(detectors, {
    from: from - warmUp,
    to,
    ended: notRecorded,
  })) {
    const { name } = detector;
    looks += 1;
    if (looks % looksPerSlice === 0) await setImmediate();
    signal.throwIfAborted();
    if (now < (unansweredUntil[name] ?? now)) {
      unseen[name] = (unseen[name] ?? 0) + 1;
      continue;
    }
    const state = states.get(name);
    let observation: unknown;
    try {
      observation = await detector.observe({ data: past(now), options, state, symbols, now, signal });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === 'not_offered') notRecorded.add(name);
      else unseen[name] = (unseen[name] ?? 0) + 1;
      unansweredUntil[name] = now + (error.retryAfter ?? 0);
      continue;
    }
    seenSince[name] ??= now;
    const stepped = detector.step(state, observation, { options, now });
    states.set(name, stepped.state);
    for (const change of stepped.changes) {
      const print = fingerprint(change.labels);
      const alert = revise(open.get(print), change, now);
      if (alert === null) continue;
      if (alert.status === 'resolved') open.delete(print);
      else open.set(print, alert);
      if (now >= from) await onAlert(alert);
    }
  }
  return {
    notRecorded: [...notRecorded],
    unseen,
    seenSince,
    standing: (name) => ({
      state: states.get(name),
      open: [...open.values()].filter(({ labels }) => labels.kind === name),
      seenSince: seenSince[name],
    }),
  };
}

/**
 * Yields the ticks of all detectors in order.
 * @param ended names of detectors whose further ticks are not needed
 */
function* ticks(
  detectors: readonly Replayed[],
  { from, to, ended }: { readonly from: number; readonly to: number; readonly ended: ReadonlySet<string> },
): Generator<[number, Replayed]> {
  const queue = detectors.flatMap((replayed, rank) => {
    const times = createSchedule(replayed.schedule ?? replayed.detector.schedule).within(from, to);
    const rest = times[Symbol.iterator]();
    const { done, value: at } = rest.next();
    return done === true ? [] : [{ replayed, rank, rest, at }];
  });
  // Sorted by time. The detector that has just ticked usually belongs near the front again.
  queue.sort((a, b) => a.at - b.at || a.rank - b.rank);
  for (let first = queue[0]; first !== undefined; first = queue[0]) {
    yield [first.at, first.replayed];
    queue.shift();
    const next = first.rest.next();
    if (next.done === true || ended.has(first.replayed.detector.name)) continue;
    const { rank } = first;
    first.at = next.value;
    const later = queue.findIndex(
      (each) => each.at > next.value || (each.at === next.value && each.rank > rank),
    );
    queue.splice(later === -1 ? queue.length : later, 0, first);
  }
}
