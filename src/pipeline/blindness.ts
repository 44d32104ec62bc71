import { z } from 'zod';
import { type Alert, type Change, dataBlind } from '../alert/alert.ts';
import { labelTitle, time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import type { MarketClock } from '../runtime/clock.ts';
import { day, hour, minute } from '../runtime/units.ts';
import type { Store } from '../store/ports.ts';
import type { Pipeline } from './options.ts';

/** When one detector last received data, from which its blindness is judged. */
export interface Sight {
  readonly kind: string;
  /** Market ms of the detector's last successful run; before the first one, market ms of its start. */
  readonly seen: number;
  /** Whether the detector has had a successful run since the bot was started. */
  readonly hasRun: boolean;
  /** Whether the last successful run is too long ago. */
  readonly overdue: boolean;
}

/**
 * Market ms after the end of a trouble within which another counts as the same, so that a service that flaps has one post,
 * and how old that post may become: it keeps every alert that it has shown.
 */
const sameTroubleWithin = hour;
const longestPost = day;

const blindness = z.object({
  /** The detector kinds that are blind (receive no data), each with the market ms of its last successful run. */
  blind: z.record(z.string(), z.number()),
  /** The latest trouble: when it began and, if no kind is blind any more, when it ended, market ms. */
  trouble: z.object({ began: z.number(), over: z.number().nullable() }).optional(),
});
export type Blindness = z.output<typeof blindness>;

/**
 * Computes the next state and the changes to announce, without side effects, like a detector's `step`. A detector that
 * goes blind is reported once, and once more when its data is back. All reports of one trouble name one burst, so that a
 * chat has one post about it, which is edited as kinds come and go.
 */
export function stepBlindness(
  { blind, trouble }: Blindness,
  sights: readonly Sight[],
  now: number,
): { readonly state: Blindness; readonly changes: readonly Change[] } {
  const next: Record<string, number> = {};
  for (const { kind, seen, hasRun, overdue } of sights) {
    const since = blind[kind];
    // A detector that was blind when the bot stopped stays blind until its next successful run.
    if (since !== undefined && (overdue || !hasRun)) next[kind] = since;
    else if (overdue) next[kind] = seen;
  }
  const began = Object.entries(next).filter(([kind]) => blind[kind] === undefined);
  const ended = Object.entries(blind).filter(([kind]) => next[kind] === undefined);
  // A clock that was set back since leaves an end ahead of now.
  const goesOn =
    trouble !== undefined &&
    (trouble.over === null ||
      (trouble.over <= now && now - trouble.over < sameTroubleWithin && now - trouble.began < longestPost));
  const { began: since } = goesOn ? trouble : { began: now };
  const isOver = Object.keys(next).length === 0;
  const about = { burst: `${dataBlind}@${since.toString(36)}` };
  return {
    state: {
      blind: next,
      ...((goesOn || !isOver) && {
        trouble: { began: since, over: isOver ? (trouble?.over ?? now) : null },
      }),
    },
    changes: [
      ...began.map(([kind, seen]) => changeOf('firing', { detector: kind, seen, ...about })),
      ...ended.map(([kind, seen]) => {
        const end = changeOf('resolved', { detector: kind, seen, ...about });
        return sights.some((each) => each.kind === kind) ? end : withoutWatch(end);
      }),
    ],
  };
}

/** Returns the end for a detector that was turned off while it was blind: its data is not back. */
const withoutWatch = (end: Change): Change => ({
  ...end,
  annotations: {
    ...end.annotations,
    summary: msg('It is no longer watched, so whether it goes on is not known.'),
    unknown: true,
  },
});

const changeOf = (
  status: Change['status'],
  { detector, seen, burst }: { readonly detector: string; readonly seen: number; readonly burst: string },
): Change => ({
  status,
  labels: { kind: dataBlind, detector },
  severity: 'warning',
  annotations: {
    title: msg('{kind} alerts paused: no data since {since}', {
      kind: labelTitle(detector),
      since: time(seen),
    }),
    summary:
      status === 'resolved'
        ? msg('Data is back. Anything that began and ended meanwhile was missed.')
        : msg(
            'Data unavailable. Until it is back, what happens is not alerted, and active alerts are neither confirmed nor over.',
          ),
    facts: [],
    inGroup: {
      name: msg('No data'),
      row: msg('{kind}: no data since {since}', { kind: labelTitle(detector), since: time(seen) }),
    },
    dataTime: seen,
  },
  burst,
  joins: true,
});

/**
 * Returns the kinds that the firing `data-blind` alerts report as blind, each with the market ms of its last successful
 * run.
 */
export const blindKinds = (firing: readonly Alert[]): ReadonlyMap<string, number> =>
  new Map(
    firing.flatMap(({ labels, annotations }) =>
      labels.kind === dataBlind && labels.detector !== undefined
        ? [[labels.detector, annotations.dataTime] as const]
        : [],
    ),
  );

/**
 * Returns the market ms since which data is missing for an alert that still goes on, the earliest if there are several;
 * undefined if no data is missing.
 */
export function unseenSince(
  alerts: readonly Alert[],
  blind: ReadonlyMap<string, number>,
): number | undefined {
  const since = alerts.flatMap(({ labels, status }) =>
    status === 'resolved' ? [] : (blind.get(labels.kind) ?? []),
  );
  return since.length === 0 ? undefined : Math.min(...since);
}

/** Market ms for which the post about a trouble waits for further kinds that go blind. */
const blindGroupWait = minute;

/**
 * Returns a function that dispatches an alert when a detector goes blind, and its end when the detector has data again.
 * Both are judged by the bot's own clocks.
 */
export function createBlindnessReporter({
  store,
  pipeline,
  market,
}: {
  readonly store: Pick<Store, 'detectors'>;
  readonly pipeline: Pick<Pipeline, 'dispatch'>;
  readonly market: () => MarketClock;
}) {
  let state: Blindness | undefined;
  return async (sights: readonly Sight[]): Promise<void> => {
    state ??= blindness.safeParse(await store.detectors.state(dataBlind)).data ?? { blind: {} };
    const stepped = stepBlindness(state, sights, market().now());
    if (stepped.changes.length === 0) return;
    await pipeline.dispatch(
      { name: dataBlind, groupWait: blindGroupWait },
      { state: stepped.state, changes: stepped.changes },
    );
    state = stepped.state;
  };
}
