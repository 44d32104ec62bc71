import pg from 'pg';
import { query, type Server } from './postgres.ts';
import { seeded } from './random.ts';

/** A database whose name begins with this prefix lacks what distributed databases with Postgres's protocol lack. */
const prefix = 'distributed';

/** SQL that at least one of CockroachDB, YugabyteDB and Citus does not support. */
const lacking =
  /advisory|skip\s+locked|\b(un)?listen\b|\bnotify\b|deferrable|set\s+transaction|\btemp(orary)?\s+table\b|\block\s+table\b/i;

/** Generated ids do not ascend from row to row and exceed 2^53. */
const anyId = 'bigint default 9007199254740993 + floor(random() * 9e18)::bigint';

/** Percentage of commits that fail. Never more than two fail in a row, so that no number of retries is too small by chance. */
const lostCommits = 20;
const inARow = 2;

/**
 * Changes the Postgres client for the rest of the process: connections to databases with the prefix behave as distributed
 * databases do. Other connections are not affected.
 */
function impoverish(random: () => number): void {
  const { query } = pg.Client.prototype;
  let row = 0;
  const loses = (): boolean => {
    row = row < inARow && random() * 100 < lostCommits ? row + 1 : 0;
    return row > 0;
  };
  const poor = function (this: pg.Client, text: unknown, ...more: unknown[]): unknown {
    const own = query as (this: pg.Client, ...given: unknown[]) => unknown;
    if (!this.database?.startsWith(prefix)) return own.call(this, text, ...more);
    if (typeof text !== 'string') throw new Error('only queries that are a text can be looked at');
    if (lacking.test(text)) throw new Error(`not every database has this: ${text}`);
    if (text !== 'commit' || !loses()) return own.call(this, text.replaceAll('bigserial', anyId), ...more);
    return (own.call(this, 'rollback') as Promise<unknown>).then(() => {
      throw Object.assign(new Error('restart transaction (injected)'), { code: '40001' });
    });
  };
  pg.Client.prototype.query = poor as typeof query;
}

let impoverished = false;

/** Creates such a database and returns its URL: every transaction in it is serializable, and one commit in five is lost. */
export async function poorer(server: Server): Promise<string> {
  if (!impoverished) impoverish(seeded(40_001));
  impoverished = true;
  const url = await server.fresh(prefix);
  const name = new URL(url).pathname.slice(1);
  await query(url, `alter database ${name} set default_transaction_isolation = 'serializable'`);
  return url;
}
