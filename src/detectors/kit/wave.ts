import { z } from 'zod';
import type { Change } from '../../alert/alert.ts';

/** By side, the wave that goes on: JSON. */
export const waves = z.record(z.string(), z.object({ id: z.string(), last: z.number() }));
export type Waves = z.output<typeof waves>;

/** What begins on one side in market after market, each within `length` ms of the one before, is one event. */
export interface WaveRules {
  readonly length: number;
  readonly sideOf: (change: Change) => string;
}

/** An event is one post, which later ones join by an edit unless they are worse than all it shows. */
export function inWaves(
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
