import { AsyncLocalStorage } from 'node:async_hooks';

const boundary = new AsyncLocalStorage<((error: unknown) => void) | undefined>();

/**
 * Runs code of a library within a boundary: errors that nothing catches, also in the timers and sockets that it opens, are
 * given to `contain` and do not end the process.
 */
export const withinBoundary = <Result>(contain: (error: unknown) => void, work: () => Result): Result =>
  boundary.run(contain, work);

/** Runs our own code that the library calls: what nothing catches there is a defect, and ends the process as elsewhere. */
export const outsideBoundary = <Result>(work: () => Result): Result => boundary.run(undefined, work);

/**
 * Gives an error that nothing has caught to the boundary within which it arose: Node emits 'uncaughtException' in the context
 * of the error. Returns false if it arose within none.
 */
export function giveToBoundary(error: unknown): boolean {
  const contain = boundary.getStore();
  contain?.(error);
  return contain !== undefined;
}
