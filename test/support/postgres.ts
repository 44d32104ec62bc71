import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { inject } from 'vitest';

/** A place for databases of one test file. */
export interface Server {
  /** URL of a new, empty database, whose name begins so. */
  fresh(prefix?: string): Promise<string>;
  stop(): Promise<void>;
}

/** The run's one Postgres: see postgres-server.ts, which writes down where it is once it is there. */
export async function startPostgres(): Promise<Server> {
  const note = inject('postgres');
  let url: string | undefined;
  while (url === undefined) {
    url = await readFile(note, 'utf8').catch(() => undefined);
    if (url === undefined) await delay(50);
  }
  if (!url.startsWith('postgres:')) throw new Error(url);
  return {
    async fresh(prefix = 'test') {
      const name = `${prefix}_${randomUUID().replaceAll('-', '')}`;
      await query(`${url}/postgres`, `CREATE DATABASE ${name}`);
      return `${url}/${name}`;
    },
    stop: async () => {},
  };
}

/** Asked over a connection of its own. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
