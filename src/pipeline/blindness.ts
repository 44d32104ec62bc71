import { z } from 'zod';
import { type Alert, type Change, dataBlind } from '../alert/alert.ts';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';

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

/** The detector kinds that are blind (receive no data), each with the market ms of its last successful run. */
export const blindness = z.object({ blind: z.record(z.string(), z.number()) });
export type Blindness = z.output<typeof blindness>;

/**
 * Computes the next state and the changes to announce, without side effects, like a detector's `step`. A detector that
 * goes blind is reported once, and once more when its data is back.
 */
export function stepBlindness(
  { blind }: Blindness,
  sights: readonly Sight[],
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
  return {
    state: { blind: next },
    changes: [
      ...began.map(([kind, seen]) => changeOf('firing', { detector: kind, seen })),
      ...ended.map(([kind, seen]) => changeOf('resolved', { detector: kind, seen })),
    ],
  };
}

const changeOf = (
  status: Change['status'],
  { detector, seen }: { readonly detector: string; readonly seen: number },
): Change => ({
  status,
  labels: { kind: dataBlind, detector },
  severity: 'warning',
  annotations: {
    title: msg('No data for {detector} since {seen}', { seen: time(seen), detector }),
    summary:
      status === 'resolved'
        ? msg('Data is back. Anything that began and ended meanwhile was missed.')
        : msg(
            'Data unavailable. Until it is back, what happens is not alerted, and active alerts are neither confirmed nor over.',
          ),
    facts: [{ name: msg('Last seen'), value: time(seen) }],
    inGroup: {
      name: msg('No data'),
      row: msg('{detector}, since {seen}', { seen: time(seen), detector }),
    },
    dataTime: seen,
  },
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
