import { once } from 'node:events';
import { createServer } from 'node:net';
import { Agent } from 'undici';
import { createClient } from '../client/create-client.ts';
import { databaseProblem } from '../database/open.ts';
import { realTime, wallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { migrations as archiveTables } from '../service/archive/migrations.ts';
import { migrations as botTables } from '../store/tables.ts';
import type { Config } from './config.ts';

export interface CheckFinding {
  readonly what: string;
  /** Null: it is well. */
  readonly problem: string | null;
}

/** Looks at everything that a start needs and changes nothing. The configuration itself is valid by now. */
export async function check(config: Config): Promise<CheckFinding[]> {
  const { database, http, data } = config;
  const alone = { alone: true };
  const looks: [what: string, look: Promise<string | null>][] = [
    ['the bot’s database (TOCSIN_DATABASE_URL)', databaseProblem(database, botTables, alone)],
    ['the console’s port (TOCSIN_HTTP_PORT)', portProblem(http.host, http.port)],
    ['the data service (TOCSIN_API_URL)', serviceProblem(config)],
  ];
  if (data.url === null) {
    const { archive, port } = data.embedded;
    looks.push(
      ['the data service’s archive (TOCSIN_ARCHIVE_URL)', databaseProblem(archive, archiveTables, alone)],
      ['the data service’s port (data.embedded.port)', portProblem('127.0.0.1', port)],
    );
  }
  return Promise.all(looks.map(async ([what, look]) => ({ what, problem: await look })));
}

/** By listening for a moment. */
async function portProblem(host: string, port: number): Promise<string | null> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return null;
  } catch (error) {
    const { code } = error as { code?: unknown };
    return code === 'EADDRINUSE'
      ? `${host}:${port} is used already: stop what uses it (Tocsin itself?), or choose another port`
      : `${host}:${port} cannot be listened on (${code}): choose another host or port`;
  }
}

async function serviceProblem({ data }: Config): Promise<string | null> {
  if (data.url === null) return null;
  const http = new Agent();
  const client = createClient({
    baseUrl: data.url,
    ...(data.apiKey !== null && { apiKey: data.apiKey }),
    wall: wallClock,
    market: () => realTime(wallClock),
    // A look is not the bot's: it is neither counted nor remembered.
    budget: { ...data.budget, log: { load: async () => [], record: async () => {} } },
    timeouts: { attempt: data.timeout, patience: 0 },
    maxBody: data.maxBody,
    random: Math.random,
    http,
  });
  try {
    await client.questions({ chat: 'check' }).dataQuality();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.reason === 'unauthorized')
      return `${error.message}; set TOCSIN_API_KEY to a key of this service`;
    // Where it was not reached the error says the rest itself.
    return error.reason === 'unreachable'
      ? error.message
      : `${error.message}; is TOCSIN_API_URL right (it ends in /api/v1)?`;
  } finally {
    await http.destroy();
  }
}
