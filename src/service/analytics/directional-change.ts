import { z } from 'zod';
import { hour } from '../../runtime/units.ts';

/**
 * Directional change on price in units of daily σ, with a stall (Guillaume et al. 1997, "From the bird's eye to
 * the microscope"; the stalled state and the three closes are ours).
 *
 * On a rise (1): a fall of `reversal` from the high turns it into a fall (−1); `stall` hours without a new high
 * end it (0). A fall mirrors. Stalled (0): `reversal` further against the move that stalled, or `resumption`
 * along it, begin one again. A change counts when the same one is called for on `closes` bars in a row; the
 * extreme that will be measured from then begins anew at that bar.
 *
 * Values chosen on BTC 2020-10 to 2022-12, not searched finely; they held on years kept back.
 */
export const directionalChange = { reversal: 1.75, resumption: 2, stall: 72 * hour, closes: 3 } as const;

const direction = z.union([z.literal(-1), z.literal(0), z.literal(1)]);
type Direction = z.output<typeof direction>;

/** Levels in σ, times in ms. JSON. */
export const directionalState = z.object({
  position: direction,
  /** The last position that was not 0. */
  last: direction,
  level: z.number(),
  high: z.number(),
  highAt: z.number(),
  low: z.number(),
  lowAt: z.number(),
  /** What the last closes called for, and how many of them. */
  target: direction,
  closes: z.int().min(0),
});
export type DirectionalState = z.output<typeof directionalState>;

export const directionalStart = (time: number): DirectionalState => ({
  position: 0,
  last: 0,
  level: 0,
  high: 0,
  highAt: time,
  low: 0,
  lowAt: time,
  target: 0,
  closes: 0,
});

/** The state after a bar that moved by `move` σ. */
export function stepDirectional(before: DirectionalState, time: number, move: number): DirectionalState {
  const level = before.level + move;
  const moved = { ...before, level };
  if (level > before.high) Object.assign(moved, { high: level, highAt: time });
  if (level < before.low) Object.assign(moved, { low: level, lowAt: time });
  const target = targetOf(moved, time);
  const closes = target === before.target ? before.closes + 1 : 1;
  const next = { ...moved, target, closes };
  return target !== before.position && closes >= directionalChange.closes ? enter(next, time) : next;
}

function targetOf(
  { position, last, level, high, highAt, low, lowAt }: DirectionalState,
  time: number,
): Direction {
  const { reversal, resumption, stall } = directionalChange;
  const fall = high - level;
  const rise = level - low;
  if (position === 1) return fall >= reversal ? -1 : time - highAt >= stall ? 0 : 1;
  if (position === -1) return rise >= reversal ? 1 : time - lowAt >= stall ? 0 : -1;
  if (rise >= (last === -1 ? reversal : resumption)) return 1;
  return fall >= (last === 1 ? reversal : resumption) ? -1 : 0;
}

function enter(state: DirectionalState, time: number): DirectionalState {
  const position = state.target;
  const highFrom = { high: state.level, highAt: time };
  const lowFrom = { low: state.level, lowAt: time };
  if (position !== 0) return { ...state, position, last: position, ...(position === 1 ? highFrom : lowFrom) };
  return { ...state, position, ...(state.position === 1 ? lowFrom : highFrom) };
}

/**
 * How far the market stands from its next change, −1 to 1: ±1 at a fresh extreme, ±½ on the verge of reversing
 * or stalling, whichever is nearer; between −¼ and ¼ while stalled, by the distances to both ways out.
 */
export function conviction(state: DirectionalState, time: number): number {
  const { reversal, resumption, stall } = directionalChange;
  const fall = state.high - state.level;
  const rise = state.level - state.low;
  if (state.position === 0) return (share(rise / resumption) - share(fall / resumption)) / 4;
  const pullback = state.position === 1 ? fall : rise;
  const age = time - (state.position === 1 ? state.highAt : state.lowAt);
  return state.position * (1 - 0.5 * share(Math.max(pullback / reversal, age / stall)));
}

const share = (value: number): number => Math.max(0, Math.min(1, value));
