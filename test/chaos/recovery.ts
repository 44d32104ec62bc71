/** How a run went on once its faults were over. Times are ms since then. */
export interface Recovery {
  /**
   * `recovered` in time, or `late`; `stuck`: something was still to be done after far longer; `starved`: the machine gave the
   * processes too little of its processors to tell, and nothing is said about what is missing.
   */
  readonly how: 'recovered' | 'late' | 'stuck' | 'starved';
  /** The processes' own time. */
  readonly own: number;
  readonly wall: number;
}

interface Recovering {
  /** Returns how much is still to be done. */
  readonly left: () => Promise<number>;
  /**
   * The processes' own time, ms: what they had of it to go on in. A process that has no processor for a minute has not been
   * slow for a minute.
   */
  readonly own: () => number;
  readonly wall: () => number;
  readonly pass: () => Promise<void>;
  /** Own ms in which everything must be done. */
  readonly allowed: number;
  /** Wall ms after which a machine is given up that gives no processor. */
  readonly patience: number;
}

/** After so many times what is allowed a run does not go on any more. */
const stuckAfter = 3;

/** Waits until nothing is left to be done, and tells whether that came late, never, or cannot be told. */
export async function recover({ left, own, wall, pass, allowed, patience }: Recovering): Promise<Recovery> {
  const begun = { own: own(), wall: wall() };
  for (;;) {
    const took = { own: own() - begun.own, wall: wall() - begun.wall };
    if ((await left()) === 0) return { how: took.own <= allowed ? 'recovered' : 'late', ...took };
    if (took.own > stuckAfter * allowed) return { how: 'stuck', ...took };
    if (took.wall > patience) return { how: took.own > allowed ? 'stuck' : 'starved', ...took };
    await pass();
  }
}
