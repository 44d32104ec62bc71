const sizes = [1, 2, 2.5, 5, 10];

/** Returns a round step (1, 2, 2.5 or 5 times a power of ten) so that at most `maxSteps` steps make up the span. */
export function roundStep(span: number, maxSteps: number): number {
  const rough = span / maxSteps;
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return (sizes.find((size) => size * power >= rough * (1 - 1e-9)) ?? 10) * power;
}

/** Returns the multiple of a step that is nearest to a value, without rounding noise in the last digits. */
export const roundTo = (value: number, step: number): number =>
  Number((Math.round(value / step) * step).toPrecision(12));

/** Returns round numbers within the bounds, ascending. */
export function ticksOf([low, high]: readonly [number, number], maxSteps: number): readonly number[] {
  const step = roundStep(high - low, maxSteps);
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => roundTo((first + index) * step, step));
}

/** Returns the range to draw: all values and the level, with some space around them. */
export function boundsOf(values: readonly number[], level: number): readonly [number, number] {
  let [low, high] = [level, level];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low - room, high + room];
}
