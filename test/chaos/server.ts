import pg from 'pg';
import { query } from '#test/support/postgres.ts';
import type { DatabaseFault, End } from './plan.ts';
import { layWire } from './wire.ts';

/** The codes that a real server responds with if its disk is full, or if it cannot read a page. */
const codes: Partial<Record<DatabaseFault, string>> = { full: '53100', corrupt: 'XX001' };
/** The tables that the parts of the bot write to. */
const written = ['alert', 'dispatch', 'outbox', 'queue', 'delivery', 'detector', 'lease'];

/**
 * Makes a real Postgres database fail on request: over a wire that fails, by locks of another client, and by writes that
 * the server refuses.
 * @param url of a database that has its tables
 */
export async function afflictable(url: string, random: () => number) {
  const { hostname, port } = new URL(url);
  const wire = await layWire({ host: hostname, port: Number(port) }, random);
  const through = new URL(url);
  through.host = `127.0.0.1:${wire.port}`;
  await query(
    url,
    `create schema chaos;
     create table chaos.fault (code text);
     insert into chaos.fault values ('');
     create function chaos.refuse() returns trigger language plpgsql as $$
       declare given text;
       begin
         select code into given from chaos.fault;
         if given <> '' then raise exception 'refused by chaos' using errcode = given; end if;
         return null;
       end $$;
     ${written.map((table) => `create trigger chaos before insert or update on ${table} for each statement execute function chaos.refuse();`).join('\n')}`,
  );
  const refuse = (code: string) => query(url, `update chaos.fault set code = '${code}'`);

  /** Resolves once the lock is requested, which waits for running writes. */
  async function lock(): Promise<End> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    client.on('error', () => {});
    const locked = client
      .query(`begin; lock table ${written.join(', ')} in exclusive mode`)
      .catch(() => undefined);
    return async () => {
      await query(
        url,
        "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and query like 'begin; lock table%' and wait_event_type = 'Lock'",
      );
      await locked;
      await client.end();
    };
  }

  return {
    url: through.href,
    async begin(fault: DatabaseFault): Promise<End> {
      if (fault === 'locked') return lock();
      const code = codes[fault];
      if (code !== undefined) {
        await refuse(code);
        return async () => void (await refuse(''));
      }
      if (fault === 'restarted')
        await query(
          url,
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
      wire.fault = fault as typeof wire.fault;
      return () => {
        if (wire.fault === fault) wire.fault = undefined;
      };
    },
    close: () => wire.close(),
  };
}
