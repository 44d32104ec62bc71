import type { CompiledQuery, DatabaseConnection, QueryExecutorProvider, QueryResult } from 'kysely';

/** What can be sent and is not yet: a query of Kysely's, or raw SQL. */
export interface Statement<Row = unknown> {
  compile(db: QueryExecutorProvider): CompiledQuery<Row>;
}

/** What each of them gives. */
type Results<Rows extends readonly unknown[]> = { readonly [At in keyof Rows]: QueryResult<Rows[At]> };

/**
 * Has statements done in this order by one connection. A server is sent them all before it has answered the first: they take
 * one round trip together. None may need another's answer, and where one fails the transaction they are in has failed.
 */
export const atOnce = <const Rows extends readonly unknown[]>(
  db: QueryExecutorProvider,
  statements: { readonly [At in keyof Rows]: Statement<Rows[At]> },
): Promise<Results<Rows>> => {
  const executor = db.getExecutor();
  const each = executor.adapter.supportsMultipleConnections ? pipelined : oneByOne;
  const compiled = statements.map((statement) => statement.compile(db));
  return executor.provideConnection((connection) =>
    each(connection, compiled),
  ) as Promise<unknown> as Promise<Results<Rows>>;
};

/** On a full disk SQLite undoes the transaction itself: what came behind it would be kept. */
async function oneByOne(connection: DatabaseConnection, statements: readonly CompiledQuery[]) {
  const results: QueryResult<unknown>[] = [];
  for (const statement of statements) results.push(await connection.executeQuery(statement));
  return results;
}

async function pipelined(connection: DatabaseConnection, statements: readonly CompiledQuery[]) {
  // None is left under way when this rejects: what comes next on the connection ends the transaction.
  const ended = await Promise.allSettled(statements.map((each) => connection.executeQuery(each)));
  const failures = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isConsequence(failure)) ?? failures[0];
  return ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** Where a statement has failed Postgres refuses the rest of its transaction: that says nothing of why. */
const isConsequence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '25P02';
