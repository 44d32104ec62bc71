import type { TimeRange } from '../archive/archive.ts';

/** Returns the multiples of a step in a span. */
export const everyStep = ({ from, to }: TimeRange, step: number): number[] => {
  const first = Math.ceil(from / step) * step;
  return Array.from(
    { length: Math.max(0, Math.floor((to - first) / step) + 1) },
    (_, at) => first + at * step,
  );
};
