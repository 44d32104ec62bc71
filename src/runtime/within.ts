import type { WallClock } from './clock.ts';
import { second } from './units.ts';

/** How long a healthy database takes to answer at most, wall ms. A process whose database takes longer is not ready. */
export const databasePatience = second;

/** In how many parts time is waited for: a process that was stopped for long counts no more than one of them. */
const parts = 10;

/**
 * Returns whether the work resolves within this many ms; false if it rejects or takes longer. Time in which this process was
 * itself stopped or busy does not count: an answer that came meanwhile has not been read yet.
 */
export async function resolvesWithin(
  ms: number,
  { work, clock }: { readonly work: Promise<unknown>; readonly clock: WallClock },
): Promise<boolean> {
  const done = new AbortController();
  const late = async () => {
    for (let part = 0; part < parts; part++) await clock.sleep(ms / parts, done.signal);
    return false;
  };
  try {
    return await Promise.race([work.then(() => true), late()]);
  } catch {
    return false;
  } finally {
    done.abort();
  }
}
