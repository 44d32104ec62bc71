import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';

export type Dialect = 'sqlite' | 'postgres';

/** To write, to read beside whoever writes, or for one look that leaves no trace. */
export type DatabaseAccess = 'write' | 'read' | 'look';

/** SQLite (node:sqlite) or Postgres (pg) behind one Kysely. */
export interface Database<Tables> {
  readonly dialect: Dialect;
  readonly db: Kysely<Tables>;
  /**
   * One at a time on SQLite; on Postgres as its default has it, where unique keys and fences settle races. `work` may be
   * done again: where another transaction won, nothing of it was kept.
   */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Gives the disk back what was deleted, a little at a time, where more than a quarter of the file is empty. Postgres does
   * it by itself (autovacuum).
   */
  shrink(): Promise<void>;
  close(): Promise<void>;
}

/** By name, applied in the order of names, each once. */
export type Migrations = Readonly<Record<string, Migration>>;
