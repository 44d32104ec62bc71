import { Agent } from 'undici';
import { noBudgetLog } from '../client/budget.ts';
import { createClient } from '../client/create-client.ts';
import { databaseProblem } from '../database/open.ts';
import { sameDatabase } from '../database/problem.ts';
import type { Platform } from '../platforms/platform.ts';
import { realTime, wallClock } from '../runtime/clock.ts';
import { ApiError, ConfigError } from '../runtime/errors.ts';
import { migrations as archiveTables } from '../service/archive/migrations.ts';
import { archiveIn } from '../service/archive/open.ts';
import { readMarket } from '../service/market-choice.ts';
import { ownerProblem } from '../service/market-time.ts';
import { natureOf } from '../service/upstream.ts';
import { migrations as botTables } from '../store/tables.ts';
import type { Config } from './config.ts';
import { checkPlaces } from './files/check.ts';
import { portFindings, portsToListen } from './ports.ts';

export interface CheckFinding {
  readonly what: string;
  /** Null: no problem was found. */
  readonly problem: string | null;
  /** Further lines to print below the finding. */
  readonly lines?: readonly string[];
}

type PendingCheck = readonly [what: string, look: Promise<string | null>];

/** Checks everything that a start needs and changes nothing. The configuration has been validated before. */
export async function check(config: Config): Promise<CheckFinding[]> {
  const pendingChecks: PendingCheck[] = [
    [
      'the bot’s database (TOCSIN_DATABASE_URL)',
      databaseProblem(config.database, { migrations: botTables, alone: true }),
    ],
    ...(config.data.url === null
      ? checkEmbedded(config)
      : [['the data service (TOCSIN_API_URL)', serviceProblem(config)] as const]),
  ];
  for (const { platform, options } of config.platforms)
    if (platform.problem !== undefined)
      pendingChecks.push([
        `the token of ${platform.name}${variable(platform)}`,
        platform.problem(options, wallClock.now),
      ]);
  const ports = portFindings(portsToListen(config));
  const found = await Promise.all(pendingChecks.map(async ([what, look]) => ({ what, problem: await look })));
  return [...found, ...(await ports), ...(await checkPlaces(config))];
}

const variable = ({ env }: Platform): string => (env?.token === undefined ? '' : ` (${env.token})`);

function checkEmbedded({ database, data: { embedded, venue } }: Config): PendingCheck[] {
  const { archive } = embedded;
  const market = (async () => natureOf(readMarket(embedded.market, { settings: { ...embedded, venue } })))();
  const ownerCheck = market.then(
    ({ name }) =>
      (opened: Parameters<typeof archiveIn>[0]) =>
        ownerProblem(archiveIn(opened), name),
    () => undefined,
  );
  return [
    [
      'the market (data.embedded.market)',
      market.then(
        () => null,
        (error: unknown) => {
          if (error instanceof ConfigError) return error.message;
          throw error;
        },
      ),
    ],
    [
      'the data service’s archive (TOCSIN_ARCHIVE_URL)',
      sameDatabase(database, archive)
        ? Promise.resolve(
            'this is also the bot’s database (TOCSIN_DATABASE_URL): the bot and the data service each need a database of their own',
          )
        : ownerCheck.then((inside) =>
            databaseProblem(archive, {
              migrations: archiveTables,
              alone: true,
              ...(inside && { checkContent: inside }),
            }),
          ),
    ],
  ];
}

async function serviceProblem({ data }: Config): Promise<string | null> {
  if (data.url === null) return null;
  const http = new Agent();
  const client = createClient({
    baseUrl: data.url,
    ...(data.apiKey !== null && { apiKey: data.apiKey }),
    wall: wallClock,
    market: () => realTime(wallClock),
    // A request of the check is not the bot's, so it is neither counted nor stored in the bot's request budget.
    budget: { ...data.budget, log: noBudgetLog },
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
    // If the service was unreachable, the error message already contains the remedy.
    return error.reason === 'unreachable'
      ? error.message
      : `${error.message}; is TOCSIN_API_URL right (it ends in /api/v1)?`;
  } finally {
    await http.destroy();
  }
}
