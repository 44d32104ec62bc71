import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { inject } from 'vitest';

/** Creates databases for one test file. */
export interface Server {
  /** Creates a new, empty database whose name begins with `prefix`, and returns its URL. */
  fresh(prefix?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Waits for the one Postgres of the run. */
export const startPostgres = (): Promise<Server> => serverNoted(inject('postgres'));

/**
 * Waits for the Postgres whose URL appears in the file `note` (see postgres-server.ts). @throws Error with the reason if there
 * is no Postgres
 */
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

/** Runs a query over a new connection. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
