import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type KyselyPlugin,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  sql,
} from 'kysely';
import pg from 'pg';
import { ConfigError, DatabaseAway } from '../runtime/errors.ts';
import { second } from '../runtime/units.ts';
import type { Database, DatabaseAccess } from './database.ts';
import { createGuard, type Guard } from './guard.ts';
import { PostgresLists } from './lists.ts';

/** OID of int8. Milliseconds and counts are below 2^53; ids may be larger, and must not lose digits. */
const int8 = 20;
const parseInt8 = (text: string): number | bigint => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
};

/** Timeouts, wall ms. 0: none. */
export interface PostgresTimeouts {
  /** The server ends a statement that takes longer. */
  readonly statement: number;
  /** A connection on which the server sends nothing for this long is closed: otherwise it would be waited for without end. */
  readonly silence: number;
}

const defaultTimeouts: PostgresTimeouts = { statement: 30 * second, silence: 40 * second };

/** For migrations: one may take long over a large table, and so may the wait for the process that runs it. */
export const upgradeTimeouts: PostgresTimeouts = { statement: 0, silence: 0 };

/**
 * Ms after which the server ends a transaction whose process does not continue. A frozen process would otherwise keep its
 * locks, and with the lock on its lease its role, from the process that is to take over (within 10 s).
 */
const longestIdle = 5 * second;

/**
 * Attempts at a transaction that fails because of others, and the longest pause between two (ms): enough for twenty that
 * began at the same time.
 */
const attempts = 20;
const longestPause = 100;

export async function openPostgres<Tables>(
  url: string,
  {
    access,
    timeouts = defaultTimeouts,
    random = Math.random,
  }: {
    readonly access: DatabaseAccess;
    readonly timeouts?: PostgresTimeouts | undefined;
    readonly random?: () => number;
  },
): Promise<Database<Tables>> {
  const { statement, silence } = timeouts;
  const readOnly = access !== 'write';
  const limits = {
    statement_timeout: statement,
    idle_in_transaction_session_timeout: Math.min(longestIdle, silence || longestIdle),
  };
  const options = { connectionString: url, max: readOnly ? 2 : 8, stream: () => impatientSocket(silence) };
  const sessionOptions = { ...limits, ...(readOnly && { options: '-c default_transaction_read_only=on' }) };
  let begin = 'begin';
  const pool = await connect({ ...options, ...sessionOptions }).catch((error: unknown) => {
    if (!refusesLimits(error)) throw unreachable(error);
    // PgBouncer lends a session to other clients between two transactions, so these settings are made for each transaction.
    for (const [name, value] of Object.entries(limits)) begin += `; set local ${name} = ${value}`;
    return connect(options).catch((cause: unknown) => {
      throw unreachable(cause);
    });
  });
  const guard = createGuard();
  const plugins = [guarding(guard)];
  const db = new Kysely<Tables>({ dialect: new PooledDialect({ pool, begin }), plugins });
  return {
    dialect: 'postgres',
    db,
    guard,
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await db.transaction().execute(work);
        } catch (error) {
          if (attempt === attempts || !isConflict(error)) throw error;
          // The pause is random: transactions that failed together would otherwise meet again.
          await delay(random() * Math.min(2 ** attempt, longestPause));
        }
      }
    },
    shrink: async () => {},
    sync: async () => {},
    close: () => db.destroy(),
  };
}

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode']);

/** Refuses writes that do not pass the guard. */
const guarding = (guard: Guard): KyselyPlugin => ({
  transformQuery({ node }) {
    if (writes.has(node.kind)) guard.check();
    return node;
  },
  transformResult: async ({ result }) => result,
});

/** Creates a pool. Resolves once it has reached the server. */
async function connect(options: pg.PoolConfig): Promise<pg.Pool> {
  const pool = new pg.Pool({
    ...options,
    connectionTimeoutMillis: 10 * second,
    // By this a server that is gone is noticed even where its silence is waited for.
    keepAlive: true,
    keepAliveInitialDelayMillis: defaultTimeouts.silence,
    // Statements are sent while earlier ones of their connection are not answered yet: see at-once.ts.
    pipeline: true,
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? parseInt8 : pg.types.getTypeParser(oid, format)),
    },
  });
  // A broken connection is replaced at the next query. Without a listener its error would end the process: the pool's own
  // listener exists only while a connection is idle.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Returns whether PgBouncer has refused settings for a whole session. */
const refusesLimits = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);

/** Answers of Postgres that no waiting changes: a wrong name or password, and a database that is not there. */
const permanent = /^(28|3D)/;
/** Codes of a URL that cannot be read, and of a certificate that is not trusted or is another name's. */
const permanentHere = /^(ERR_INVALID_URL|ERR_TLS_CERT_ALTNAME_INVALID|UNABLE_TO_\w+|\w*SELF_SIGNED_CERT\w*)$/;
/** What pg says, without a code, of a server that has no TLS. */
const lacksTls = 'The server does not support SSL connections';

const unreachable = (cause: unknown): ConfigError => {
  const { may, reason } = refusal(cause);
  // A text with an @ may contain part of a malformed URL, and with it the password.
  const shown = reason === undefined || reason.includes('@') ? '' : ` (${reason})`;
  return new ConfigError(
    [`Postgres cannot be reached: check host, port, name, password and sslmode in the database URL${shown}.`],
    { cause, mayPass: may },
  );
};

/** Returns whether a failure to connect may pass by itself, and its reason without anything of the URL that is secret. */
function refusal(cause: unknown): { readonly may: boolean; readonly reason: string | undefined } {
  if (!(cause instanceof Error)) return { may: true, reason: undefined };
  const { code = '', syscall, path } = cause as NodeJS.ErrnoException;
  if (cause instanceof pg.DatabaseError) return { may: !permanent.test(code), reason: cause.message };
  if (cause.message === lacksTls) return { may: false, reason: 'the server has no TLS' };
  if (syscall === 'open') return { may: false, reason: `${path ?? 'a file'} cannot be read` };
  return { may: !permanentHere.test(code), reason: code || undefined };
}

/**
 * Returns whether a transaction failed because of another one, by a serialization failure or a deadlock. Nothing of it was
 * stored.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseAway &&
  'code' in error.cause &&
  (error.cause.code === '40001' || error.cause.code === '40P01');

/**
 * SQLSTATEs of a connection that broke (08), a transaction that others ended (40), a server without room (53) or that ends
 * or starts (57), and one that has become a standby.
 */
const passing = /^(?:(?:08|40|53|57)[\dA-Z]{3}|25006)$/;
/** Codes of the system, such as ECONNRESET. */
const ofSystem = /^E(?!RR_)[A-Z_]+$/;
/** What pg and our own socket say, without a code, of a connection that is gone. */
const gone = /^Connection terminated|is not queryable$|^timeout exceeded|^Postgres has said nothing/;

/** Returns an error of the driver as DatabaseAway if it may pass by itself, such as one of a fail-over. */
function orAway(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const mayPass =
    'code' in error && typeof error.code === 'string'
      ? passing.test(error.code) || ofSystem.test(error.code)
      : gone.test(error.message);
  return mayPass ? new DatabaseAway(error) : error;
}

/**
 * Gathers what is sent in one go into a single write, however many statements it is: each write costs as much as a small
 * statement.
 */
class GatheringSocket extends Socket {
  #gathers = false;
  override cork(): void {
    super.cork();
    if (this.#gathers) return;
    this.#gathers = true;
    super.cork();
    queueMicrotask(() => {
      this.#gathers = false;
      this.uncork();
    });
  }
}

function impatientSocket(silence: number): Socket {
  const socket = new GatheringSocket();
  socket.setTimeout(silence, () =>
    socket.destroy(new Error(`Postgres has said nothing for ${silence / second} s`)),
  );
  return socket;
}

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
  /** Connections whose errors are told apart from any other program's. */
  readonly #known = new WeakSet<DatabaseConnection>();
  constructor(config: PostgresDialectConfig, begin: string) {
    super(config);
    this.#begin = begin;
  }
  override async acquireConnection(
    ...given: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...given).catch((error: unknown) => {
      throw orAway(error);
    });
    if (this.#known.has(connection)) return connection;
    this.#known.add(connection);
    const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
    connection.executeQuery = (...query) =>
      execute(...query).catch((error: unknown) => {
        throw orAway(error);
      }) as never;
    return connection;
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

class PooledDialect extends PostgresDialect {
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
