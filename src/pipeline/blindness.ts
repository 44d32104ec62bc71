import { z } from 'zod';
import { type Alert, type Change, dataBlind } from '../alert/alert.ts';
import { time } from '../language/format.ts';
import { msg } from '../language/text.ts';

/** What one detector has seen, for judging whether it still does. */
export interface Sight {
  readonly kind: string;
  /** Market ms at which it last saw; where it has not yet, since when it has tried. */
  readonly seen: number;
  /** It has seen since the bot was started. */
  readonly sees: boolean;
  /** It has not for too long. */
  readonly overdue: boolean;
}

/** Blind kinds, and the market ms at which each last saw. */
export const blindness = z.object({ blind: z.record(z.string(), z.number()) });
export type Blindness = z.output<typeof blindness>;

/** Pure, as a detector's step: who goes blind is told of once, and again when they see. */
export function stepBlindness(
  { blind }: Blindness,
  sights: readonly Sight[],
): { readonly state: Blindness; readonly changes: readonly Change[] } {
  const next: Record<string, number> = {};
  for (const { kind, seen, sees, overdue } of sights) {
    const since = blind[kind];
    // One that was blind when the bot ended is so until it has seen again.
    if (since !== undefined && (overdue || !sees)) next[kind] = since;
    else if (overdue) next[kind] = seen;
  }
  const began = Object.entries(next).filter(([kind]) => blind[kind] === undefined);
  const ended = Object.entries(blind).filter(([kind]) => next[kind] === undefined);
  return {
    state: { blind: next },
    changes: [
      ...began.map(([kind, seen]) => change('firing', { detector: kind, seen })),
      ...ended.map(([kind, seen]) => change('resolved', { detector: kind, seen })),
    ],
  };
}

const change = (
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

/** Kinds that are blind, by the alerts that say so, and the market ms at which each last saw. */
export const blindKinds = (firing: readonly Alert[]): ReadonlyMap<string, number> =>
  new Map(
    firing.flatMap(({ labels, annotations }) =>
      labels.kind === dataBlind && labels.detector !== undefined
        ? [[labels.detector, annotations.dataTime] as const]
        : [],
    ),
  );

/** Since when (market ms) something that goes on among them cannot be seen; undefined where all can. */
export function unseenSince(
  alerts: readonly Alert[],
  blind: ReadonlyMap<string, number>,
): number | undefined {
  const since = alerts.flatMap(({ labels, status }) =>
    status === 'resolved' ? [] : (blind.get(labels.kind) ?? []),
  );
  return since.length === 0 ? undefined : Math.min(...since);
}
