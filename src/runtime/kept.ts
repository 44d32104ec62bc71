import type { Clock } from './clock.ts';
import { RecentMap } from './recent-map.ts';

interface Limits {
  /** How long something is kept, ms of the clock. */
  readonly holds: number;
  /** Beyond this many the oldest is forgotten. */
  readonly most: number;
  readonly clock: Clock;
}

/** Keeps what work resolves to for a while, by key, so that whoever asks the same shares it. What fails is not kept. */
export function createKept<Value>({ holds, most, clock }: Limits) {
  const kept = new RecentMap<string, { readonly at: number; readonly work: Promise<Value> }>(most);
  return {
    /** Returns the work of a key; undefined if none is kept, or it is too old. */
    get(key: string): Promise<Value> | undefined {
      const known = kept.get(key);
      const age = known === undefined ? holds : clock.now() - known.at;
      // An age below 0 is of a clock that was set back since.
      return age >= 0 && age < holds ? known?.work : undefined;
    },
    put(key: string, work: Promise<Value>): Promise<Value> {
      kept.set(key, { at: clock.now(), work });
      work.catch(() => kept.get(key)?.work === work && kept.delete(key));
      return work;
    },
  };
}
