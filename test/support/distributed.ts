import pg from 'pg';
import { query, type Server } from './postgres.ts';
import { seeded } from './random.ts';

/** Databases whose name begins so are as poor as the distributed ones that speak Postgres's language. */
const prefix = 'distributed';

/** Of CockroachDB, YugabyteDB and Citus at least one lacks it. */
const lacking =
  /advisory|skip\s+locked|\b(un)?listen\b|\bnotify\b|deferrable|set\s+transaction|\btemp(orary)?\s+table\b|\block\s+table\b/i;

/** Their ids rise with nothing, neither from row to row nor within 2^53. */
const anyId = 'bigint default 9007199254740993 + floor(random() * 9e18)::bigint';

/** Of a hundred commits; never three in a row, so that no number of attempts is too small by chance. */
const lostCommits = 20;
const inARow = 2;

/** From now on, for connections to databases whose name begins so, and for no others. */
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

/** URL of a new database of that kind: every transaction in it is serializable, and one commit of five is lost. */
export async function poorer(server: Server): Promise<string> {
  if (!impoverished) impoverish(seeded(40_001));
  impoverished = true;
  const url = await server.fresh(prefix);
  const name = new URL(url).pathname.slice(1);
  await query(url, `alter database ${name} set default_transaction_isolation = 'serializable'`);
  return url;
}
