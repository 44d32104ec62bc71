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

/** The run's one Postgres. */
export const startPostgres = (): Promise<Server> => serverNoted(inject('postgres'));

/** Of a Postgres whose URL comes to stand in the file `note`: see postgres-server.ts. @throws with why there is none */
export async function serverNoted(note: string): Promise<Server> {
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
