import { z } from 'zod';
import type { Change } from '../../alert/alert.ts';

/** The current wave of each side: the id of its post, and the time of its latest alert, market ms. JSON. */
export const waves = z.record(z.string(), z.object({ id: z.string(), last: z.number() }));
export type Waves = z.output<typeof waves>;

/** Defines a wave: alerts that begin on the same side in market after market, each within `length` ms of the last. */
export interface WaveRules {
  readonly length: number;
  readonly sideOf: (change: Change) => string;
}

/** Gives the alerts of one wave the same `burst`, so that they share one post, which later alerts join by an edit. */
export function joinWaves(
  past: Waves,
  { changes, now, length, sideOf }: { readonly changes: readonly Change[]; readonly now: number } & WaveRules,
): { readonly waves: Waves; readonly changes: readonly Change[] } {
  const next = Object.fromEntries(Object.entries(past).filter(([, { last }]) => now - last <= length));
  return {
    changes: changes.map((change) => {
      if (change.status !== 'firing') return change;
      const side = sideOf(change);
      const id = next[side]?.id ?? `${change.labels.kind}-${side}-${now.toString(36)}`;
      next[side] = { id, last: now };
      return { ...change, burst: id, joins: true };
    }),
    waves: next,
  };
}
