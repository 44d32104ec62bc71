import { z } from 'zod';
import type { Change } from '../../alert/alert.ts';

export const levels = ['ELEVATED', 'HIGH', 'EXTREME'] as const;
export const level = z.enum(levels);
export type Level = z.output<typeof level>;
/** |z| above which each level begins, as the interface says. */
export const thresholds: Readonly<Record<Level, number>> = { ELEVATED: 1.5, HIGH: 2, EXTREME: 3 };
export const rank = (value: Level): number => levels.indexOf(value);

export const episode = z.object({
  direction: z.string(),
  /** Settlement it was last seen at; of one that has ended, the one at which it did. */
  time: z.number(),
  level,
  peak: level,
  /** It has cost so much while EXTREME that anyone may act on it. */
  dear: z.boolean().default(false),
  rate: z.number(),
  z: z.number(),
  /** Settlements in a row at which it did not stand out. */
  calm: z.int(),
  /** `quiet`: there at the baseline, so nobody was told. `ended`: kept for the cooldown. */
  phase: z.enum(['open', 'quiet', 'ended']),
});
export type Episode = z.output<typeof episode>;

type Standing = Pick<Episode, 'direction' | 'level' | 'z' | 'dear'> & { readonly mean: number };

/** One settlement of a market, and how it stands out; null: not at all, or too little to act on. */
export interface Sighting {
  readonly time: number;
  readonly rate: number;
  readonly stands: Standing | null;
}

export interface EpisodeRules {
  /** The level at which it begins. */
  readonly enter: Level;
  /** Eases to a lower level only when |z| is this far below the higher one's threshold. */
  readonly margin: number;
  /** Settlements in a row at which it does not stand out before it has ended. */
  readonly calm: number;
  /** ms from the settlement at which it ended, within which the same side begins again only where it is worse. */
  readonly cooldown: number;
}

interface Followed {
  readonly kept: Episode | undefined;
  readonly told: readonly (readonly [Change['status'], Episode])[];
}

/** One symbol: what is remembered of it, and what is told. Settlements count, not polls. */
export function followFunding(
  past: Episode | undefined,
  seen: Sighting | undefined,
  context: { readonly options: EpisodeRules; readonly baseline: boolean },
): Followed {
  if (seen === undefined || (past !== undefined && seen.time <= past.time)) return { kept: past, told: [] };
  if (past === undefined || past.phase === 'ended') return begin(past, seen, context);

  const { time, rate, stands } = seen;
  const calm = stands?.direction === past.direction ? 0 : past.calm + 1;
  const turned = stands !== null && calm > 0 && rank(stands.level) >= rank(context.options.enter);
  if (turned || calm >= context.options.calm) {
    const ended: Episode = { ...past, time, calm, phase: 'ended' };
    const begun = turned ? begin(ended, seen, context) : { kept: ended, told: [] };
    return {
      kept: begun.kept,
      told: [...(past.phase === 'open' ? [['resolved', past] as const] : []), ...begun.told],
    };
  }
  if (stands === null || calm > 0) return { kept: { ...past, time, calm }, told: [] };

  const reached = eased(past, stands, context.options.margin);
  const higher = rank(reached) > rank(past.peak);
  const { z } = stands;
  const dear = past.dear || stands.dear;
  const peak = higher ? reached : past.peak;
  const next: Episode = { ...past, time, rate, z, calm, level: reached, peak, dear };
  if (past.phase === 'quiet')
    return higher ? { kept: { ...next, phase: 'open' }, told: [['firing', next]] } : { kept: next, told: [] };
  return { kept: next, told: next.level === past.level && dear === past.dear ? [] : [['updated', next]] };
}

/** @param past one that has ended */
function begin(
  past: Episode | undefined,
  { time, rate, stands }: Sighting,
  { options, baseline }: { readonly options: EpisodeRules; readonly baseline: boolean },
): Followed {
  if (stands === null || rank(stands.level) < rank(options.enter)) return { kept: past, told: [] };
  const { direction, level, z, dear } = stands;
  const held =
    past?.direction === direction && time - past.time < options.cooldown && rank(level) <= rank(past.peak);
  if (held) return { kept: past, told: [] };
  const phase = baseline ? 'quiet' : 'open';
  const begun: Episode = { direction, time, level, peak: level, dear, rate, z, calm: 0, phase };
  return { kept: begun, told: baseline ? [] : [['firing', begun]] };
}

function eased(past: Episode, seen: Standing, margin: number): Level {
  const near = Math.abs(seen.z) >= thresholds[past.level] - margin;
  return rank(seen.level) < rank(past.level) && near ? past.level : seen.level;
}
