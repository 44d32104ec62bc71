import { z } from 'zod';
import { hour } from '../../runtime/units.ts';

/**
 * Detects directional changes of a price measured in units of daily σ (Guillaume et al. 1997, "From the bird's eye to
 * the microscope"; the stalled state and the caution after a change are our additions).
 *
 * During a rise (1), a drop of `reversal` from the high begins a fall (−1), and `stall` ms without a new high end the
 * rise (0). A fall mirrors a rise. After a stall (0), a move of `reversal` against the move that stalled, or of
 * `resumption` along it, begins a new rise or fall. After each change both thresholds are raised by the share `caution`,
 * which halves every `calming`·ln 2, so that a market near a threshold does not change back and forth.
 *
 * The values were chosen on BTC 2020-10 to 2022-12; nearby ones (stall 72 to 96 h, reversal up to 2.25) do nearly as well.
 */
export const directionalChange = {
  reversal: 1.75,
  resumption: 2,
  stall: 84 * hour,
  caution: 0.15,
  calming: 24 * hour,
} as const;

const direction = z.union([z.literal(-1), z.literal(0), z.literal(1)]);
export type Direction = z.output<typeof direction>;

/** The state after a bar, as plain JSON. Levels are in σ, times in ms. */
export const directionalState = z.object({
  position: direction,
  /** The last position that was not 0. */
  last: direction,
  level: z.number(),
  high: z.number(),
  highAt: z.number(),
  low: z.number(),
  lowAt: z.number(),
  /** Null until the first change. */
  changedAt: z.number().nullable(),
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
  changedAt: null,
});

/**
 * Returns the state after a bar that moved by `move` σ. A new rise restarts the high, a new fall the low; a stall restarts
 * the extreme from which a resumption is measured.
 */
export function stepDirectional(
  before: DirectionalState,
  { time, move }: { readonly time: number; readonly move: number },
): DirectionalState {
  const level = before.level + move;
  const moved = { ...before, level };
  if (level > before.high) Object.assign(moved, { high: level, highAt: time });
  if (level < before.low) Object.assign(moved, { low: level, lowAt: time });
  const position = nextPosition(moved, time);
  if (position === before.position) return moved;
  const highFrom = { high: level, highAt: time };
  const lowFrom = { low: level, lowAt: time };
  const changed = { ...moved, position, changedAt: time };
  if (position !== 0) return { ...changed, last: position, ...(position === 1 ? highFrom : lowFrom) };
  return { ...changed, ...(before.position === 1 ? lowFrom : highFrom) };
}

function nextPosition(state: DirectionalState, time: number): Direction {
  const { position, last, level, high, highAt, low, lowAt, changedAt } = state;
  const { stall, caution, calming } = directionalChange;
  const thresholdFactor = changedAt === null ? 1 : 1 + caution * Math.exp((changedAt - time) / calming);
  const reversal = directionalChange.reversal * thresholdFactor;
  const resumption = directionalChange.resumption * thresholdFactor;
  const fall = high - level;
  const rise = level - low;
  if (position === 1) return fall >= reversal ? -1 : time - highAt >= stall ? 0 : 1;
  if (position === -1) return rise >= reversal ? 1 : time - lowAt >= stall ? 0 : -1;
  if (rise >= (last === -1 ? reversal : resumption)) return 1;
  return fall >= (last === 1 ? reversal : resumption) ? -1 : 0;
}
