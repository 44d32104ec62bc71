import type { Clock, WallClock } from '#src/runtime/clock.ts';
import type { FakeClock } from '#test/support/clock.ts';

/** A process that shares this one, and can be killed or frozen: whatever it waits for then never comes, or later. */
export interface Life {
  readonly wall: WallClock;
  readonly steady: Clock;
  /** Resolves while it runs: at once, after it was frozen, or never. */
  pass(): Promise<void>;
  kill(): void;
  freeze(): void;
  thaw(): void;
  /** Its database takes nothing. */
  cutOff(): void;
  /** Its wall clock is set. */
  jump(ms: number): void;
  /** How often it was killed or stood still: what it had sent may not have been heard of. */
  readonly suffered: number;
  /** How often it was cut off: what it had heard may not have been kept before another took over. */
  readonly cuts: number;
  /** False: it was killed, or stands still. */
  readonly runs: boolean;
}

const never = new Promise<void>(() => {});

export function createLife(real: FakeClock): Life {
  let dead = false;
  let ice: PromiseWithResolvers<void> | undefined;
  let off = 0;
  let suffered = 0;
  let cuts = 0;
  const pass = async () => {
    while (ice !== undefined && !dead) await ice.promise;
    if (dead) await never;
  };
  return {
    wall: {
      now: () => real.now() + off,
      async sleep(ms, signal) {
        try {
          await real.sleep(ms, signal);
        } finally {
          await pass();
        }
      },
    },
    steady: real,
    pass,
    kill() {
      dead = true;
      suffered += 1;
      ice?.resolve();
    },
    freeze() {
      ice ??= Promise.withResolvers();
      suffered += 1;
    },
    thaw() {
      ice?.resolve();
      ice = undefined;
    },
    cutOff() {
      cuts += 1;
    },
    jump(ms) {
      off = ms;
    },
    get suffered() {
      return suffered;
    },
    get cuts() {
      return cuts;
    },
    get runs() {
      return !dead && ice === undefined;
    },
  };
}
