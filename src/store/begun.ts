import type { Begun } from './store.ts';

/** As kept: posts that were begun at one receiver and have not ended, one of a group. */
export const begunOf = (kept: string | null): readonly Begun[] =>
  kept === null ? [] : [JSON.parse(kept) as Begun | Begun[]].flat();

export const begunText = (begun: readonly Begun[]): string | null =>
  begun.length === 0 ? null : JSON.stringify(begun);
