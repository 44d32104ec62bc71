import { second } from '../runtime/units.ts';

/** A platform that does not answer is asked with one message at a time, until it does. */
export interface Outage {
  /** It has not answered lately, whoever was to be reached. */
  lasts(): boolean;
  /** The last failure was one among answers: it is its message's own, as far as can be known. */
  alone(): boolean;
  /** It took no message, or gave no answer. */
  failed(): void;
  answered(): void;
}

/** Failures in a row, none of them a receiver's own: one chat that always fails stands among others that do not. */
const inARow = 5;

/** Wall ms between two messages that see whether it answers again: the most it costs anyone that it does. */
export const askAgain = 2 * second;

/** @param over told when it answers again */
export function createOutage(over: () => void): Outage {
  // What went on before the start is not known: it may have been one.
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
