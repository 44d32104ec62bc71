import type { WallClock } from './clock.ts';
import { second } from './units.ts';

/** How long a healthy database takes to answer at most, wall ms. A process whose database takes longer is not ready. */
export const databasePatience = second;

/** Returns whether the work resolves within this many ms; false if it rejects or takes longer. */
export async function resolvesWithin(
  ms: number,
  { work, clock }: { readonly work: Promise<unknown>; readonly clock: WallClock },
): Promise<boolean> {
  const done = new AbortController();
  try {
    const late = clock.sleep(ms, done.signal).then(() => false);
    return await Promise.race([work.then(() => true), late]);
  } catch {
    return false;
  } finally {
    done.abort();
  }
}
