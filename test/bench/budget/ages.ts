import type { Publication } from './service.ts';

/** Age of data in ms: the mean over a stretch of time, and the highest age in it. */
export interface Age {
  readonly mean: number;
  readonly worst: number;
}

/** One look of a detector at a feed: the stamp of its newest row. */
export interface Look {
  readonly at: number;
  readonly stamp: number;
  /** Time of the request that the row came with, whoever made it. */
  readonly asked: number;
}

/** Returns the age of the last received rows over [from, to]. The looks ascend, and the first is at `from` or before. */
export function ageOf(
  looks: readonly Omit<Look, 'asked'>[],
  { from, to }: { readonly from: number; readonly to: number },
): Age {
  let area = 0;
  let worst = 0;
  for (const [index, { at, stamp }] of looks.entries()) {
    const begin = Math.max(from, at);
    const end = Math.min(to, looks[index + 1]?.at ?? to);
    if (end <= begin) continue;
    area += ((begin + end) / 2 - stamp) * (end - begin);
    worst = Math.max(worst, end - stamp);
  }
  return { mean: area / (to - from), worst };
}

/**
 * Returns the lowest age that a number of requests can give over a stretch. Each request is sent as soon as newer rows are
 * published, and between two requests there are equally many publications, or one more.
 */
export function bestAge(
  { every, late }: Publication,
  { requests, stretch }: { readonly requests: number; readonly stretch: number },
): Age {
  const publications = stretch / every;
  const used = Math.min(requests, publications);
  const few = Math.floor(publications / used);
  const more = publications - few * used;
  const area = (more * (few + 1) ** 2 + (used - more) * few ** 2) / 2;
  return { mean: late + (every * area) / publications, worst: late + every * (more > 0 ? few + 1 : few) };
}
