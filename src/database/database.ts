import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Guard } from './guard.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Access to write, to read while another process writes, or to look once and leave no trace. */
export type DatabaseAccess = 'write' | 'read' | 'look';

/** SQLite (node:sqlite) or Postgres (pg) behind one Kysely. */
export interface Database<Tables> {
  readonly dialect: Dialect;
  readonly db: Kysely<Tables>;
  /** Every write passes it. */
  readonly guard: Guard;
  /**
   * Runs `work` in a transaction: one at a time on SQLite; on Postgres with its default isolation, where unique keys and
   * leases settle races. `work` may be run again if another transaction won; nothing of the first run was stored then.
   */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Returns the space of deleted rows to the disk, a little at a time, if more than a quarter of the file is empty.
   * Postgres does this by itself (autovacuum).
   */
  shrink(): Promise<void>;
  /** Resolves once everything that was committed before the call survives a power cut. Postgres sees to it at each commit. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Migrations by name. Each is applied once, in the order of the names. */
export type Migrations = Readonly<Record<string, Migration>>;
