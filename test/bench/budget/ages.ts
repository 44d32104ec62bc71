import type { Publication } from './service.ts';

/** Ms: over the stretch on average, and at the worst moment of it. */
export interface Age {
  readonly mean: number;
  readonly worst: number;
}

/** What a detector had in hand at one time: the stamp of the newest row of its feed. */
export interface Look {
  readonly at: number;
  readonly stamp: number;
  /** When the request was made that it came by, whoever made it. */
  readonly asked: number;
}

/** How old what was last had is, over [from, to]. The looks ascend, and the first is at `from` or before. */
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
 * The least age that so many requests can give over a stretch: each is sent as soon as newer rows are there, and they
 * are spread so that as few publications as can be pass between two of them, the same number each time or one more.
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
