/** The values of one axis, from its lowest gridline to its highest. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/**
 * The bounds of the values that are drawn. No value in a market is beyond them, where the arithmetic of an axis would
 * overflow or vanish.
 */
const largest = 1e100;
const smallest = 1e-100;

export const isDrawable = (value: number): boolean => Number.isFinite(value) && Math.abs(value) <= largest;

const steps = [1, 2, 2.5, 5];
const minSteps = 3;
const maxSteps = 5;

/** Returns a scale of round gridlines whose ends hold every value and leave the least room unused. */
export function niceScale(values: readonly number[]): Scale {
  const known = values.filter(isDrawable);
  let low = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  let high = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (known.length === 0) [low, high] = [0, 1];
  // A flat line lies in the middle of an axis that reaches 5 % of its value to either side.
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= Math.max(size * 1e-9, smallest)) {
    const half = size <= smallest ? 1 : size * 0.05;
    [low, high] = [low - half, high + half];
  }
  let best: Scale | undefined;
  for (let count = minSteps; count <= maxSteps; count++) {
    const scale = scaleOver(low, high, count);
    // Of two scales that fit equally well, the one with more gridlines is taken.
    if (best === undefined || scale.max - scale.min <= (best.max - best.min) * 1.001) best = scale;
  }
  return best ?? { min: 0, max: 1, step: 1 };
}

/** Returns the scale with the smallest round step of which `count` reach from below `low` to above `high`. */
function scaleOver(low: number, high: number, count: number): Scale {
  const power = 10 ** Math.floor(Math.log10((high - low) / count));
  for (let factor = power; ; factor *= 10) {
    for (const each of steps) {
      const step = each * factor;
      const first = Math.floor(low / step + 1e-9);
      const min = first * step;
      const max = (first + count) * step;
      if (max >= high - step * 1e-9) return { min, max, step };
    }
  }
}
