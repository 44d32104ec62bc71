import type { Kysely } from 'kysely';
import { Agent } from 'undici';
import { createClient } from '../../client/create-client.ts';
import { noRequestLog } from '../../client/request-budget.ts';
import type { Database } from '../../database/database.ts';
import { databaseProblem } from '../../database/open.ts';
import { sameDatabase } from '../../database/problem.ts';
import { plainReader, say } from '../../language/say.ts';
import type { Platform } from '../../platforms/platform.ts';
import { realTime, wallClock } from '../../runtime/clock.ts';
import { ApiError, ConfigError, ifOffered } from '../../runtime/errors.ts';
import { migrations as archiveTables } from '../../service/archive/migrations.ts';
import { archiveIn } from '../../service/archive/open.ts';
import { ownerProblem } from '../../service/archive/owner.ts';
import { readMarket } from '../../service/run/market-choice.ts';
import { natureOf } from '../../service/run/upstream.ts';
import { othersOf, venuesOf } from '../../service/run/venue-choice.ts';
import { otherMarket } from '../../store/market/bind-market.ts';
import { migrations as botTables } from '../../store/migrations.ts';
import type { Tables } from '../../store/tables.ts';
import { boundMarket } from '../bind-market.ts';
import type { Config, UsedPlatform } from '../config/config.ts';
import { checkPlaces } from './check-places.ts';
import { checkSpace, type FreeBytes } from './check-space.ts';
import { portFindings, portsToListen } from './ports.ts';

export interface CheckFinding {
  readonly what: string;
  /** Null: no problem was found. */
  readonly problem: string | null;
  /** What does not keep the bot from starting, but should be corrected soon. */
  readonly warning?: string;
  /** Further lines to print below the finding. */
  readonly lines?: readonly string[];
}

/**
 * Checks everything that a start needs and changes nothing. The configuration has been validated before.
 * @param free default: what the system says
 */
export async function check(config: Config, free?: FreeBytes): Promise<CheckFinding[]> {
  const { url, embedded } = config.data;
  const service = url === null ? undefined : checkService(config, url);
  const market = service?.then((found) => found.market) ?? boundMarket(config, embedded.market);
  const found = await Promise.all([
    checkDatabase(config, market),
    service?.then(({ problem }) => [{ what: 'the data service (TOCSIN_API_URL)', problem }]) ??
      checkEmbedded(config),
    Promise.all(config.platforms.map(checkToken)),
    checkSpace(config, free),
    portFindings(portsToListen(config)),
  ]);
  return [...found.flat(2), ...(await checkPlaces(config))];
}

async function checkToken({ platform, options }: UsedPlatform): Promise<CheckFinding[]> {
  if (platform.problem === undefined) return [];
  const problem = await platform.problem(options, wallClock.now);
  const what = `the token of ${platform.name}${variable(platform)}`;
  return [{ what, problem: problem === null ? null : say(problem, plainReader) }];
}

const messageOf = (problem: ConfigError | null): string | null => problem?.message ?? null;

const variable = ({ env }: Platform): string => (env?.token === undefined ? '' : ` (${env.token})`);

/** @param market the market that the bot would watch; undefined: the data service does not respond */
async function checkDatabase(
  { database }: Config,
  market: string | undefined | Promise<string | undefined>,
): Promise<CheckFinding> {
  const served = await market;
  const lines: string[] = [];
  const checkContent = async ({ db }: Database<unknown>) => {
    if (served === undefined) return null;
    const bound = await otherMarket(db as Kysely<Tables>, served);
    if (bound !== undefined)
      lines.push(
        `it was used for the ${bound} market: npm start deletes that market's alerts, what waits to be sent and the delivery log`,
        'subscriptions, rules, silences and preferences stay',
      );
    return null;
  };
  const problem = await databaseProblem(database, { migrations: botTables, alone: true, checkContent });
  return { what: 'the bot’s database (TOCSIN_DATABASE_URL)', problem: messageOf(problem), lines };
}

async function checkEmbedded(config: Config): Promise<CheckFinding[]> {
  const { database, data } = config;
  const { archive } = data.embedded;
  const market = await checkMarket(data);
  const { name } = market;
  const archiveProblem = sameDatabase(database, archive)
    ? 'this is also the bot’s database (TOCSIN_DATABASE_URL): the bot and the data service each need a database of their own'
    : messageOf(
        await databaseProblem(archive, {
          migrations: archiveTables,
          alone: true,
          ...(name !== undefined && { checkContent: (opened) => ownerProblem(archiveIn(opened), name) }),
        }),
      );
  return [
    { what: 'the market (data.embedded.market)', problem: market.problem },
    { what: 'the data service’s archive (TOCSIN_ARCHIVE_URL)', problem: archiveProblem },
  ];
}

/** Returns the name of the market that the data service would collect, or what keeps it from that. */
async function checkMarket({
  embedded,
  venue,
  venues: others,
}: Config['data']): Promise<{ readonly problem: string | null; readonly name?: string }> {
  try {
    const market = readMarket(embedded.market, { settings: { ...embedded, venue } });
    await Promise.all([venuesOf({ market }), othersOf({ market, others })]);
    return { problem: null, name: (await natureOf(market)).name };
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message };
    throw error;
  }
}

/** Asks the data service. Returns its market if it responds as it should. */
async function checkService(
  config: Config,
  url: string,
): Promise<{ readonly problem: string | null; readonly market?: string }> {
  const { data } = config;
  const http = new Agent();
  const client = createClient({
    baseUrl: url,
    ...(data.apiKey !== null && { apiKey: data.apiKey }),
    wall: wallClock,
    market: () => realTime(wallClock),
    // A request of the check is not the bot's, so it is neither counted nor stored in the bot's request budget.
    budget: { ...data.budget, log: noRequestLog },
    timeouts: { attempt: data.timeout, patience: 0 },
    maxBody: data.maxBody,
    random: Math.random,
    http,
  }).questions({ chat: 'check' });
  try {
    await client.dataQuality();
    return { problem: null, market: boundMarket(config, (await ifOffered(client.meta()))?.source) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problem: serviceProblem(error) };
  } finally {
    await http.destroy();
  }
}

function serviceProblem({ reason, message }: ApiError): string {
  // These messages already contain the remedy.
  return reason === 'unreachable' || reason === 'unauthorized'
    ? message
    : `${message}; is TOCSIN_API_URL right (it ends in /api/v1)?`;
}
