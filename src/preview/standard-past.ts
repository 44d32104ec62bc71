import type { Logger } from 'pino';
import type { Alert } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { WallClock } from '../runtime/clock.ts';
import { day, minute, second } from '../runtime/units.ts';
import { assemble, type DetectorPast, type PastSettings, recallPast, storeDay } from './detector-past.ts';
import type { PastAlerts } from './past-alerts.ts';
import { longestWait, previewPeriod } from './preview.ts';
import { type Replayed, replay } from './replay.ts';
import type { SlicePause, Slices } from './slices.ts';

/** The archive of the embedded data service, which can be asked as of any moment up to `end`, market ms. */
export interface PreviewArchive {
  /**
   * @param choose chooses the symbols that responses are about from all tracked ones; absent: all
   * @param pause awaited before each piece of work
   */
  open(options: {
    readonly end: number;
    readonly pause: SlicePause;
    readonly choose?: ((tracked: readonly string[]) => readonly string[]) | undefined;
  }): Promise<OpenedPast>;
  /** Returns whether the whole past is loaded; a replay over a part of it would find fewer alerts. */
  whole(): boolean;
}

interface OpenedPast {
  readonly symbols: readonly string[];
  at(now: number): DataClient;
  close(): Promise<void>;
}

export interface StandardPastOptions {
  readonly archive: PreviewArchive;
  readonly detectors: readonly Replayed[];
  /** What else the past depends on: the market, and the version of the detectors. */
  readonly identity: unknown;
  readonly settings: PastSettings;
  readonly inhibitRules: readonly InhibitRule[];
  readonly slices: Slices;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly closing: AbortSignal;
}

/** Wall ms between two checks whether the past is loaded. */
const loadCheckEvery = 2 * second;
/** Wall ms between two checks whether a day is over. */
const dayCheckEvery = minute;
/** How long after its end a day is replayed, market ms: by then its last rows have arrived. */
const settling = 15 * minute;
/** How many days are read at once: each reading includes the weeks before them that the figures are made from. */
const readAhead = 5 * day;

/**
 * Keeps the past of the standard detectors, which is the same for everyone. Each market day is replayed once, from where the
 * detectors stood at the end of the day before; that is stored after each day, so that a restart goes on from there. A detector
 * whose configuration or version has changed is replayed alone. Until a day is ready, the past ends with the one before.
 */
export function keepStandardPast(options: StandardPastOptions) {
  const { archive, detectors, identity, settings, inhibitRules, slices, now, wall, log, closing } = options;
  let pasts: DetectorPast[] | undefined;
  let known: PastAlerts | undefined;
  let progress = 0;

  /** Returns the days to have been replayed: whole ones, the first of which the detectors only watch. */
  const daysNow = () => {
    const end = Math.floor((now() - settling) / day) * day;
    return { begin: end - previewPeriod - day, from: end - previewPeriod, end };
  };

  /** Replays the days that are missing. The detectors that are furthest behind go first, until they have met the others. */
  async function catchUp(all: readonly DetectorPast[]): Promise<void> {
    let past: (OpenedPast & { readonly end: number }) | undefined;
    try {
      for (;;) {
        closing.throwIfAborted();
        const { begin, from, end } = daysNow();
        for (const each of all) {
          if (each.next >= begin && each.next <= end + day) continue;
          each.next = begin;
          each.standing = undefined;
          each.revisions = [];
        }
        const first = Math.min(...all.map(({ next }) => next));
        progress = Math.max(0, (first - from) / day);
        if (first >= end) break;
        if (past === undefined || past.end < first + day - 1) {
          await past?.close();
          const last = Math.min(first + readAhead, end) - 1;
          past = { ...(await archive.open({ end: last, pause: slices.background })), end: last };
          if (end - first > day)
            log.info({ days: progress, of: previewPeriod / day }, 'replaying the past for previews');
        }
        const due = all.filter(({ next }) => next === first);
        await replayDay(due, { past, first, from });
      }
    } finally {
      await past?.close();
    }
    known = await assembled(all);
  }

  const assembled = (all: readonly DetectorPast[]): Promise<PastAlerts> => {
    const end = all.length === 0 ? daysNow().end : Math.min(...all.map(({ next }) => next));
    return assemble(all, { end, inhibitRules, pause: slices.background });
  };

  async function replayDay(
    due: readonly DetectorPast[],
    { past, first, from }: { readonly past: OpenedPast; readonly first: number; readonly from: number },
  ): Promise<void> {
    const revisions: Alert[] = [];
    const { standing } = await replay({
      detectors: due.map(({ replayed, standing }) => ({ ...replayed, standing })),
      at: past.at,
      from: first,
      to: first + day - 1,
      warmUp: 0,
      symbols: past.symbols,
      signal: closing,
      onAlert: (alert) => void revisions.push(alert),
    });
    for (const each of due) {
      await storeDay(settings, each, { revisions, standing, from });
      await slices.background();
    }
  }

  /** Waits until the past is loaded; false if that takes too long. */
  async function loaded(): Promise<boolean> {
    for (let waited = 0; !archive.whole(); waited += loadCheckEvery) {
      if (waited >= longestWait) return false;
      await wall.sleep(loadCheckEvery, closing);
    }
    return true;
  }

  /** Resolves at the end of the present turn with whether it failed. */
  let turn = Promise.withResolvers<boolean>();
  async function keep(): Promise<void> {
    while (!closing.aborted) {
      const failed = await keepTurn().then(
        () => false,
        (error: unknown) => {
          if (!closing.aborted)
            log.warn({ err: error }, 'could not replay the past for previews; trying again');
          return true;
        },
      );
      turn.resolve(failed);
      turn = Promise.withResolvers();
      await wall.sleep(archive.whole() ? dayCheckEvery : loadCheckEvery, closing).catch(() => {});
    }
  }
  async function keepTurn(): Promise<void> {
    if (pasts === undefined) {
      pasts = await Promise.all(detectors.map((each) => recallPast(settings, each, identity)));
      // What was replayed before a restart is known before the data service has loaded its past again.
      const [first] = pasts;
      if (first !== undefined && first.next > 0 && pasts.every(({ next }) => next === first.next))
        known = await assembled(pasts);
    }
    if (!archive.whole()) return;
    const { end } = daysNow();
    if (known === undefined || pasts.some(({ next }) => next < end || next > end + day)) await catchUp(pasts);
  }
  const ended = keep();

  return {
    loaded,
    /** Returns the number of days that have been replayed of those of a preview. */
    progress: () => Math.floor(progress),
    /** Returns the past as far as it is known, or waits for it; undefined if it cannot be replayed. */
    async known(): Promise<PastAlerts | undefined> {
      while (known === undefined && !closing.aborted) if (await turn.promise) return undefined;
      return known;
    },
    ended: () => ended,
  };
}
