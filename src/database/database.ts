import type { Kysely, Transaction } from 'kysely';
import type { Migration } from 'kysely/migration';

/** SQLite (node:sqlite) or Postgres (pg) behind one Kysely. */
export interface Database<Tables> {
  readonly dialect: 'sqlite' | 'postgres';
  readonly db: Kysely<Tables>;
  /** Runs one write transaction at a time on SQLite; at repeatable read or better on Postgres. */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** By name, applied in the order of names, each once. */
export type Migrations = Readonly<Record<string, Migration>>;
