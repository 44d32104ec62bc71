import { second } from '../runtime/units.ts';

/** Tracks whether a platform responds at all. While it does not, it is tried with one message at a time. */
export interface Outage {
  /** Returns whether the last attempts to reach the platform all failed, whichever receivers they were for. */
  isLasting(): boolean;
  /**
   * Returns whether at most one attempt has failed since the platform last responded. If so, the message itself is
   * taken to be the cause.
   */
  isSingleFailure(): boolean;
  /** Records an attempt that got no response, or the response that the platform is unavailable. */
  recordFailure(): void;
  recordAnswer(): void;
}

/**
 * The number of failures in a row that count as an outage. A single chat that always fails causes none: responses for
 * other chats come in between.
 */
const failuresOfOutage = 5;

/** Wall ms between two attempts during an outage: the longest that a message waits once the platform is back. */
export const outageRetryDelay = 2 * second;

/**
 * Creates a tracker for one platform.
 * @param onRecovered called when the platform responds again after a failure
 */
export function createOutage(onRecovered: () => void): Outage {
  // Whether there was an outage before this start is not known, so one failure is assumed.
  let failures = 1;
  return {
    isLasting: () => failures >= failuresOfOutage,
    isSingleFailure: () => failures <= 1,
    recordFailure() {
      failures += 1;
    },
    recordAnswer() {
      if (failures > 0) onRecovered();
      failures = 0;
    },
  };
}
