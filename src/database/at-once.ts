import type { CompiledQuery, DatabaseConnection, QueryExecutorProvider, QueryResult } from 'kysely';

/** A statement that is ready to be sent: a query of Kysely's, or raw SQL. */
export interface Statement<Row = unknown> {
  compile(db: QueryExecutorProvider): CompiledQuery<Row>;
}

/** The results of the statements, in their order. */
type Results<Rows extends readonly unknown[]> = { readonly [At in keyof Rows]: QueryResult<Rows[At]> };

/**
 * Runs statements in this order on one connection. A server is sent all of them before it has answered the first, so that
 * they take one round trip together. No statement may need another's result. If one fails, the transaction they are in has
 * failed.
 */
export const atOnce = <const Rows extends readonly unknown[]>(
  db: QueryExecutorProvider,
  statements: { readonly [At in keyof Rows]: Statement<Rows[At]> },
): Promise<Results<Rows>> => {
  const executor = db.getExecutor();
  const runAll = executor.adapter.supportsMultipleConnections ? pipelined : oneByOne;
  const compiled = statements.map((statement) => statement.compile(db));
  return executor.provideConnection((connection) =>
    runAll(connection, compiled),
  ) as Promise<unknown> as Promise<Results<Rows>>;
};

/**
 * Runs each statement after the one before it has succeeded. On a full disk SQLite rolls the transaction back itself, and
 * statements after that would be committed.
 */
async function oneByOne(connection: DatabaseConnection, statements: readonly CompiledQuery[]) {
  const results: QueryResult<unknown>[] = [];
  for (const statement of statements) results.push(await connection.executeQuery(statement));
  return results;
}

async function pipelined(connection: DatabaseConnection, statements: readonly CompiledQuery[]) {
  // No statement may still be running when this rejects, because the next one on the connection ends the transaction.
  const ended = await Promise.allSettled(statements.map((each) => connection.executeQuery(each)));
  const failures = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isConsequence(failure)) ?? failures[0];
  return ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/**
 * Returns whether an error only follows from an earlier one: once a statement has failed, Postgres refuses the rest of its
 * transaction, which does not tell the cause.
 */
const isConsequence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '25P02';
