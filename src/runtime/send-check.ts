const checks = new WeakMap<AbortSignal, () => boolean>();

/**
 * Attaches the check `maySend` to the signal of a request that takes a while to prepare (a picture is drawn). The request
 * is sent only if `maySend` is still true when it is ready. A request that is already sent is not cancelled by it: whether
 * it arrived would then be unknown.
 */
export function withSendCheck(signal: AbortSignal, maySend: () => boolean): AbortSignal {
  checks.set(signal, maySend);
  return signal;
}

/** Returns whether a request must not be sent; called at the last moment before it is sent. */
export const isCalledOff = (signal: AbortSignal): boolean =>
  signal.aborted || checks.get(signal)?.() === false;
