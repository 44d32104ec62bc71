import {
  CompiledQuery,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely';
import { PostgresLists } from './lists.ts';

type Begin = PostgresDriver['beginTransaction'];

/**
 * Lets one process at a time bring the tables up to date: it updates the row of the migration lock, and so has it until its
 * transaction ends. An advisory lock is of no use: it belongs to the session, which PgBouncer lends to other clients
 * between two statements, and YugabyteDB has none.
 */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(
    ...[db, { lockTable, lockRowId }]: Parameters<PostgresAdapter['acquireMigrationLock']>
  ): Promise<void> {
    await sql`update ${sql.table(lockTable)} set is_locked = 1 where id = ${lockRowId}`.execute(db);
  }
  override async releaseMigrationLock(): Promise<void> {}
}

class Driver extends PostgresDriver {
  readonly #begin: string;
  constructor(config: PostgresDialectConfig, begin: string) {
    super(config);
    this.#begin = begin;
  }
  override async beginTransaction(...[connection, settings]: Parameters<Begin>): Promise<void> {
    if (settings.isolationLevel !== undefined || settings.accessMode !== undefined)
      return super.beginTransaction(connection, settings);
    await connection.executeQuery(CompiledQuery.raw(this.#begin));
  }
}

interface PooledDialectOptions extends PostgresDialectConfig {
  /** The text that begins a transaction: one message, which may contain several statements. */
  readonly begin: string;
}

export class PooledDialect extends PostgresDialect {
  readonly #options: PooledDialectOptions;
  constructor(options: PooledDialectOptions) {
    super(options);
    this.#options = options;
  }
  override createAdapter(): PostgresAdapter {
    return new Adapter();
  }
  override createQueryCompiler(): PostgresLists {
    return new PostgresLists();
  }
  override createDriver(): PostgresDriver {
    return new Driver(this.#options, this.#options.begin);
  }
}
