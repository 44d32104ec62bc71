import type { Clock, WallClock } from '#src/runtime/clock.ts';
import type { FakeClock } from '#test/support/clock.ts';

/** A simulated process that can be killed or frozen: what it waits for then never comes, or comes later. */
export interface Life {
  readonly wall: WallClock;
  readonly steady: Clock;
  /** Resolves while the process runs: at once, once it is no longer frozen, or never. */
  pass(): Promise<void>;
  kill(): void;
  freeze(): void;
  thaw(): void;
  /** Counts that the database took nothing from the process. */
  cutOff(): void;
  /** Sets the wall clock wrong by so many ms. */
  jump(ms: number): void;
  /** Lets the process go on only this late, ms, each time: it has little of a processor. */
  starve(ms: number): void;
  /** How often the process was killed or frozen; responses to what it had sent may have been lost each time. */
  readonly suffered: number;
  /** How often the process was cut off from its database; what it had heard may not have been stored each time. */
  readonly cuts: number;
  /** False if the process was killed or is frozen. */
  readonly runs: boolean;
}

const never = new Promise<void>(() => {});

export function createLife(real: FakeClock): Life {
  let dead = false;
  let late = 0;
  let ice: PromiseWithResolvers<void> | undefined;
  let off = 0;
  let suffered = 0;
  let cuts = 0;
  const pass = async () => {
    if (late > 0) await real.sleep(late);
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
    starve(ms) {
      late = ms;
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
