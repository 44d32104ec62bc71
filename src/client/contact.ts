import type { Clock } from '../runtime/clock.ts';
import type { ApiErrorReason } from '../runtime/errors.ts';

/** Tracks whether the service responds at all, from the results of all requests. */
export interface Contact {
  noteSuccess(): void;
  noteFailure(endpoint: string, reason: ApiErrorReason): void;
  /** Returns ms since the service last responded if it fails to respond, Infinity if it never has; null if it responds. */
  unresponsiveFor(): number | null;
}

/** Errors that are caused by the service itself, not by the content or the number of requests. */
const serviceFailureReasons: readonly ApiErrorReason[] = [
  'unreachable',
  'server_error',
  'malformed',
  'unauthorized',
];

export function createContact(steady: Clock): Contact {
  let lastResponseAt = Number.NEGATIVE_INFINITY;
  const failing = new Map<string, ApiErrorReason>();
  return {
    noteSuccess() {
      lastResponseAt = steady.now();
      failing.clear();
    },
    noteFailure(endpoint, reason) {
      if (serviceFailureReasons.includes(reason)) failing.set(endpoint, reason);
    },
    unresponsiveFor() {
      // If a single endpoint fails, only that endpoint may be broken, unless the service could not be reached at all.
      const isUnresponsive = failing.size > 1 || [...failing.values()].includes('unreachable');
      return isUnresponsive ? steady.now() - lastResponseAt : null;
    },
  };
}
