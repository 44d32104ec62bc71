import type { Clock } from '../runtime/clock.ts';
import type { ApiErrorReason } from '../runtime/errors.ts';

/** Whether the service answers at all, told by what became of everything that it was asked. */
export interface Contact {
  answered(): void;
  failed(endpoint: string, reason: ApiErrorReason): void;
  /** Where it does not answer: ms since it last did, Infinity where it never has. Null where it does. */
  lost(): number | null;
}

/** Reasons that lie with the service itself, not with what it was asked or how often. */
const lostReasons: readonly ApiErrorReason[] = ['unreachable', 'server_error', 'malformed', 'unauthorized'];

export function createContact(steady: Clock): Contact {
  let heard = Number.NEGATIVE_INFINITY;
  const failing = new Map<string, ApiErrorReason>();
  return {
    answered() {
      heard = steady.now();
      failing.clear();
    },
    failed(endpoint, reason) {
      if (lostReasons.includes(reason)) failing.set(endpoint, reason);
    },
    lost() {
      // One endpoint that fails may be the only one that is broken, unless nobody was there at all.
      const away = failing.size > 1 || [...failing.values()].includes('unreachable');
      return away ? steady.now() - heard : null;
    },
  };
}
