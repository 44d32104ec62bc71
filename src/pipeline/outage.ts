import { second } from '../runtime/units.ts';

/** Whether a platform answers at all. While it does not, it is tried with one message at a time. */
export interface Outage {
  /** The last attempts to reach it have all failed, whoever they were for. */
  lasts(): boolean;
  /** At most one attempt has failed since it last answered: the cause is then taken to be that message. */
  alone(): boolean;
  /** An attempt got no answer, or the answer that the platform is unavailable. */
  failed(): void;
  answered(): void;
}

/**
 * So many failures in a row are an outage. One chat that always fails makes none: answers for other chats come in
 * between.
 */
const inARow = 5;

/** Wall ms between two attempts during an outage: the longest that a message waits once the platform is back. */
export const askAgain = 2 * second;

/** @param over called when it answers again */
export function createOutage(over: () => void): Outage {
  // Whether there was an outage before this start is not known: one failure is assumed.
  let failures = 1;
  return {
    lasts: () => failures >= inARow,
    alone: () => failures <= 1,
    failed() {
      failures += 1;
    },
    answered() {
      if (failures > 0) over();
      failures = 0;
    },
  };
}
