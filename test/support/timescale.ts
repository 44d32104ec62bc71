import { randomUUID } from 'node:crypto';
import { startDebianPostgres } from './debian-postgres.ts';
import { query, type Server } from './postgres.ts';

/**
 * Starts Debian's Postgres with TimescaleDB. Each new database has the extension, and its owner, who uses it, is no superuser.
 */
export async function startTimescale(): Promise<Server> {
  const { urlOf, stop } = await startDebianPostgres({
    shared_preload_libraries: 'timescaledb',
    'timescaledb.telemetry_level': 'off',
  });
  await query(urlOf('postgres', 'postgres'), 'create role archive login');
  return {
    async fresh(prefix = 'test') {
      const name = `${prefix}_${randomUUID().replaceAll('-', '')}`;
      // From template0, because the extension's background worker connects to every database that allows it, and a template in
      // use cannot be copied.
      await query(urlOf('postgres', 'postgres'), `create database ${name} owner archive template template0`);
      const url = urlOf(name, 'archive');
      await query(url, 'create extension timescaledb');
      return url;
    },
    stop,
  };
}
