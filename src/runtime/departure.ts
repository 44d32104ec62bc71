const gates = new WeakMap<AbortSignal, () => boolean>();

/**
 * The signal of something that gets ready for a while (a picture is drawn) and may set out only where `may` still says so.
 * What is on its way is not called back by it: whether it arrived would not be known.
 */
export function departing(signal: AbortSignal, may: () => boolean): AbortSignal {
  gates.set(signal, may);
  return signal;
}

/** Asked at the last moment before it sets out. */
export const isCalledOff = (signal: AbortSignal): boolean =>
  signal.aborted || gates.get(signal)?.() === false;
