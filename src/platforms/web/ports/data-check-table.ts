import type { Caller } from '../../../shell/command.ts';

/** How often the exchange confirmed the values that the data service publishes, in the reader's language. */
export interface DataCheckTable {
  readonly rows: readonly {
    readonly name: string;
    /** How often the exchange that the value comes from confirmed it, as text. */
    readonly said: string;
    /** How far the markets of other venues are from the value, one line per venue. */
    readonly others: readonly string[];
    /** Number of checks that were out of tolerance, late or missed; absent if the exchange cannot be asked. */
    readonly failures?: number | undefined;
  }[];
  /** The largest differences and the checks that could not be made, one line each. */
  readonly failures: readonly string[];
}

/** Reads the audit table; null if the data service provides no audit. */
export type ReadDataChecks = (caller: Caller) => Promise<DataCheckTable | null>;
