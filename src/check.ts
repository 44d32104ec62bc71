import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Agent } from 'undici';
import { createClient } from './client/create-client.ts';
import type { Config } from './config.ts';
import { realTime, wallClock } from './runtime/clock.ts';
import { ApiError, ConfigError } from './runtime/errors.ts';

export interface Finding {
  readonly what: string;
  /** Null: it is well. */
  readonly problem: string | null;
}

/** Looks at everything the bot needs and changes nothing. The configuration itself is valid by now. */
export async function check(config: Config): Promise<Finding[]> {
  const databases: [string, string, string][] = [
    ['the bot’s database', config.database, 'TOCSIN_DATABASE_URL'],
    ...(config.data.url === null
      ? ([['the data service’s archive', config.data.embedded.archive, 'TOCSIN_ARCHIVE_URL']] as [
          string,
          string,
          string,
        ][])
      : []),
  ];
  const findings = await Promise.all(
    databases.map(async ([what, url, variable]) => ({ what, problem: await databaseProblem(url, variable) })),
  );
  return [...findings, { what: 'the data service', problem: await serviceProblem(config) }];
}

async function databaseProblem(url: string, variable: string): Promise<string | null> {
  if (!url.startsWith('file:')) {
    try {
      const { openPostgres } = await import('./database/postgres.ts');
      await (await openPostgres(url)).close();
      return null;
    } catch (error) {
      return error instanceof ConfigError ? `${error.message} (${variable})` : String(error);
    }
  }
  const path = resolve(url.slice('file:'.length));
  let place = path;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    accessSync(place, constants.W_OK);
    return null;
  } catch {
    return `${place} cannot be written: give the user who runs Tocsin write permission, or set ${variable} to another file`;
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
    const remedy =
      error.reason === 'unauthorized'
        ? 'set TOCSIN_API_KEY to a key of this service'
        : 'is TOCSIN_API_URL right (it ends in /api/v1), and the service running?';
    return `${error.message}; ${remedy}`;
  } finally {
    await http.destroy();
  }
}
