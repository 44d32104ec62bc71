import type { WallClock } from './clock.ts';

/** Waits for work for at most `patience` wall ms; undefined if the work takes longer. */
export type Patience = <Result>(patience: number, work: Promise<Result>) => Promise<Result | undefined>;

/** Creates the function. When the signal aborts, waiting ends at once. */
export const createPatience =
  (wall: WallClock, signal: AbortSignal): Patience =>
  async (patience, work) => {
    const done = new AbortController();
    const waited = wall.sleep(patience, AbortSignal.any([done.signal, signal])).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([work, waited]);
    } finally {
      done.abort();
    }
  };
