import { costInPostgres, costInSqlite, costInTimescale } from './archive/rows.ts';

/** The bench writes millions of rows. */
export const slow = true;

/**
 * `npm run bench -- archive-rows -- 1 10`: what 1 and 10 million rows cost on SQLite, Postgres and, if Debian's package is
 * installed, TimescaleDB.
 */
export default async function archiveRows(given: readonly string[]): Promise<void> {
  for (const millions of (given.length === 0 ? ['1'] : given).map(Number)) {
    await costInSqlite(millions);
    await costInPostgres(millions);
    await costInTimescale(millions);
  }
}
