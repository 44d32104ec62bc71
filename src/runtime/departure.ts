const gates = new WeakMap<AbortSignal, () => boolean>();

/**
 * Attaches the check `may` to the signal of a request that takes a while to prepare (a picture is drawn). The request
 * is sent only if `may` is still true when it is ready. A request that is already sent is not cancelled by it: whether
 * it arrived would then be unknown.
 */
export function departing(signal: AbortSignal, may: () => boolean): AbortSignal {
  gates.set(signal, may);
  return signal;
}

/** Returns whether a request must not be sent; called at the last moment before it is sent. */
export const isCalledOff = (signal: AbortSignal): boolean =>
  signal.aborted || gates.get(signal)?.() === false;
