import type { Caller } from '../shell/command.ts';

/** How often the exchange said what the data service publishes, in the reader's language. */
export interface AuditTable {
  readonly rows: readonly {
    /** The value, and who was asked. */
    readonly name: string;
    readonly said: string;
    /** Checks beyond tolerance, late or missed. */
    readonly failures: number;
  }[];
  /** The worst differences and what could not be asked, a line each. */
  readonly failures: readonly string[];
}

/** Null where the data service tells of none. */
export type ReadAudit = (caller: Caller) => Promise<AuditTable | null>;
