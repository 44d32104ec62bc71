import { day, hour } from './lengths.ts';

/** Values over market time, ms, oldest first. A value that is not known is not finite, or null. */
type Values = readonly (readonly [at: number, value: number | null])[];

/** How many usual steps between values may be missing at the beginning of a window that they cover. */
const maxMissing = 2;

function usualStep(all: Values): number {
  const steps = all.slice(1).map(([at], index) => at - (all[index]?.[0] ?? at));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
}

/**
 * Cuts values to a window that ends with the newest of them, `length` ms long. It begins with the newest value that is that
 * old, so that the change over the values is that of the whole window.
 */
export function windowOf<All extends Values>(all: All, length: number): readonly All[number][] {
  const from = (all.at(-1)?.[0] ?? 0) - length;
  const first = all.findLastIndex(([at]) => at <= from);
  const isBeginning = from - (all[first]?.[0] ?? Number.NEGATIVE_INFINITY) < maxMissing * usualStep(all);
  return all.slice(isBeginning ? first : first + 1);
}

/**
 * Returns by what length a window is named: its own if the values cover it, otherwise theirs, in whole days or hours.
 * History that is still loading, or began later, is thus never told as that of the whole window.
 */
export function coveredLength(all: Values, length: number): number {
  const known = all.filter(([, value]) => value !== null && Number.isFinite(value));
  const covered = (known.at(-1)?.[0] ?? 0) - (known[0]?.[0] ?? 0);
  if (length - covered <= maxMissing * usualStep(known)) return length;
  const unit = [day, hour].find((each) => covered >= 2 * each) ?? 1;
  return covered - (covered % unit);
}
