import type { WallClock } from '../runtime/clock.ts';

/** Awaits work for `patience` wall ms; undefined where it takes longer. */
export type Patience = <Result>(patience: number, work: Promise<Result>) => Promise<Result | undefined>;

/** Where the signal is aborted, work is awaited no longer. */
export const createPatience =
  (wall: WallClock, signal: AbortSignal): Patience =>
  async (patience, work) => {
    const known = new AbortController();
    const waited = wall.sleep(patience, AbortSignal.any([known.signal, signal])).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([work, waited]);
    } finally {
      known.abort();
    }
  };
