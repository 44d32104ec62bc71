import type { WallClock } from '../runtime/clock.ts';
import { createKept } from '../runtime/kept.ts';

interface QueueOptions {
  /** How many may wait while another is replayed. */
  readonly maxWaiting: number;
  readonly maxCached: number;
  /** How long what was found is cached, wall ms. */
  readonly cachedFor: number;
  readonly wall: Pick<WallClock, 'now'>;
  readonly closing: AbortSignal;
}

/** Replays the past for people one after the other. Whoever asks the same shares what was found. */
export function createReplayQueue<Result>({ maxWaiting, maxCached, cachedFor, wall, closing }: QueueOptions) {
  const found = createKept<Result>({ holds: cachedFor, most: maxCached, clock: wall });
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    /** Returns what is cached under the key, or what the work finds in its turn; undefined if too many wait. */
    of(key: string, work: () => Promise<Result>): Promise<Result> | undefined {
      const known = found.get(key);
      if (known !== undefined || waiting > maxWaiting) return known;
      waiting += 1;
      const job = last.then(() => {
        closing.throwIfAborted();
        return work();
      });
      last = job.catch(() => {}).finally(() => (waiting -= 1));
      return found.put(key, job);
    },
    ended: () => last,
  };
}
