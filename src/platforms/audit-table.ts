import type { Caller } from '../shell/command.ts';

/** How often the exchange said what the data service publishes, in the reader's language. */
export interface AuditTable {
  readonly rows: readonly {
    /** The value. */
    readonly name: string;
    /** How often the exchange it comes from said the same. */
    readonly said: string;
    /** How far other venues' own markets are from it, a line each. */
    readonly others: readonly string[];
    /** Checks beyond tolerance, late or missed; absent where the exchange cannot be asked. */
    readonly failures?: number;
  }[];
  /** The worst differences and what could not be asked, a line each. */
  readonly failures: readonly string[];
}

/** Null where the data service tells of none. */
export type ReadAudit = (caller: Caller) => Promise<AuditTable | null>;
