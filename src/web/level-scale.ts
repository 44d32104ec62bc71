const sizes = [1, 2, 2.5, 5, 10];

/** The round number, 1, 2, 2.5 or 5 of its power of ten, of which at most so many make the span. */
export function roundStep(span: number, most: number): number {
  const rough = span / most;
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return (sizes.find((size) => size * power >= rough * (1 - 1e-9)) ?? 10) * power;
}

/** The multiple of a step next to a value, without the noise of its last digits. */
export const roundTo = (value: number, step: number): number =>
  Number((Math.round(value / step) * step).toPrecision(12));

/** Round numbers within bounds, ascending. */
export function ticksOf([low, high]: readonly [number, number], most: number): readonly number[] {
  const step = roundStep(high - low, most);
  const first = Math.ceil(low / step);
  const count = Math.max(0, Math.floor(high / step) - first + 1);
  return Array.from({ length: count }, (_, index) => roundTo((first + index) * step, step));
}

/** What is drawn: all values and the level, with some room around them. */
export function boundsOf(values: readonly number[], level: number): readonly [number, number] {
  let [low, high] = [level, level];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  return [low - room, high + room];
}
