import type { WallClock } from '../runtime/clock.ts';

/** At most `max` in any window of `per` ms. */
export interface Limit {
  readonly per: number;
  readonly max: number;
}

/** Turns at a platform, within its limits. */
export interface Pace {
  /** Resolves when one more may be sent to the address; rejects with the signal's reason. */
  take(address: string, signal: AbortSignal): Promise<void>;
}

/** Addresses remembered at most: beyond it the longest unused is forgotten. */
const addressesKept = 10_000;

export function createPace(
  limits: { readonly total?: Limit | undefined; readonly perAddress?: Limit | undefined },
  wall: WallClock,
): Pace {
  const total = limits.total === undefined ? undefined : slidingWindow(limits.total);
  const addresses = new Map<string, Window>();
  const windowOf = (address: string): Window | undefined => {
    if (limits.perAddress === undefined) return undefined;
    const window = addresses.get(address) ?? slidingWindow(limits.perAddress);
    addresses.delete(address);
    addresses.set(address, window);
    if (addresses.size > addressesKept) addresses.delete(addresses.keys().next().value ?? '');
    return window;
  };
  return {
    async take(address, signal) {
      for (;;) {
        signal.throwIfAborted();
        const windows = [total, windowOf(address)].filter((window) => window !== undefined);
        const wait = Math.max(0, ...windows.map((window) => window.wait(wall.now())));
        if (wait === 0) {
          for (const window of windows) window.use(wall.now());
          return;
        }
        await wall.sleep(wait, signal);
      }
    },
  };
}

interface Window {
  /** Milliseconds until one more fits. */
  wait(now: number): number;
  use(now: number): void;
}

/** A sliding window rather than a bucket: platforms that count by a sliding second refuse a bucket's burst. */
function slidingWindow({ per, max }: Limit): Window {
  const used: number[] = [];
  return {
    wait(now) {
      while (used[0] !== undefined && used[0] <= now - per) used.shift();
      const first = used[used.length - max];
      return first === undefined ? 0 : first + per - now;
    },
    use(now) {
      used.push(now);
    },
  };
}
