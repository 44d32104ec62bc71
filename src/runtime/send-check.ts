import type { Dispatcher } from 'undici';

const checks = new WeakMap<AbortSignal, () => boolean>();

/**
 * Attaches the check `maySend` to the signal of a request that takes a while to prepare: a picture is drawn, or a connection
 * is opened. The request is sent only if `maySend` is still true when it is ready. A request that is already sent is not
 * cancelled by it: whether it arrived would then be unknown.
 */
export function withSendCheck(signal: AbortSignal, maySend: () => boolean): AbortSignal {
  checks.set(signal, maySend);
  return signal;
}

/** Returns whether a request must not be sent; called at the last moment before it is sent. */
export const isCalledOff = (signal: AbortSignal): boolean =>
  signal.aborted || checks.get(signal)?.() === false;

/** The request was cancelled once it had a connection, and nothing of it was sent. */
export class CalledOff extends Error {
  override readonly name = 'CalledOff';
  constructor() {
    super('nothing may be sent any more');
  }
}

/**
 * Cancels a request that has its connection, if it must not be sent any more: to open the connection may have taken seconds,
 * in which another process may have taken over. Called by `onRequestStart`, before the first byte is written.
 */
export function cancelIfCalledOff(controller: Dispatcher.DispatchController, signal: AbortSignal): void {
  if (!signal.aborted && isCalledOff(signal)) controller.abort(new CalledOff());
}
