import { hour } from '../../runtime/units.ts';

/**
 * Returns the hours of the interval that ended with each settlement. An outage leaves a gap that looks like an interval, so a
 * distance counts only if the one before or after it is as long. Any other settlement has the interval of the next one.
 *
 * @param times ms, ascending
 * @param current hours of the interval that follows the newest settlement
 */
export function intervalsEnding(times: readonly number[], current: number): readonly number[] {
  const distances = times.map((time, index) => Math.round((time - (times[index - 1] ?? Number.NaN)) / hour));
  const hours: number[] = [];
  let next = current;
  for (let index = times.length - 1; index >= 0; index -= 1) {
    const distance = distances[index] ?? Number.NaN;
    const isRepeated = distance === distances[index - 1] || distance === (distances[index + 1] ?? current);
    if (isRepeated && 24 % distance === 0) next = distance;
    hours.unshift(next);
  }
  return hours;
}
