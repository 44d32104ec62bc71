import type { Logger } from 'pino';
import { type Dispatcher, request } from 'undici';
import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { ownRule } from '../alert/rule.ts';
import type { Receiver } from '../alert/subscription.ts';
import { count } from '../language/format.ts';
import { msg } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { WatchStatus } from '../pipeline/watch.ts';
import type { MarketClock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import type { Secret } from '../runtime/secret.ts';
import { day, minute, second } from '../runtime/units.ts';
import type { Store } from '../store/ports.ts';
import type { Canary } from './canary.ts';
import type { DataQuality } from './data-quality.ts';

/** What `failureReason` judges: whether detectors see the market as it is now, and whether messages get sent. */
export interface Work {
  readonly detectors: readonly Pick<WatchStatus, 'name' | 'lastSuccess'>[];
  /** What the data service reports about its data. Undefined if it has not reported lately. */
  readonly quality: Pick<DataQuality, 'status' | 'checks'> | undefined;
  /** How long the oldest message has been due, wall ms. Null if none waits. */
  readonly waiting: number | null;
  readonly refused: number;
  readonly paused: boolean;
  /** Whether a test alert has not arrived: then no alert does. */
  readonly lateCanary?: boolean;
  /** Why nothing can be stored; left out or null: it can. */
  readonly database?: string | null;
}

/** Wall ms. Most detectors look every five minutes; a single one that looks is enough to say that the market is observed. */
const observedWithin = 15 * minute;
/** Wall ms. The rate limit of a busy place may hold a message back for minutes. */
const deliveredWithin = 10 * minute;

/** Returns the reason why the bot cannot be said to work. Undefined if it works. */
export function failureReason(
  { detectors, quality, waiting, refused, paused, lateCanary = false, database = null }: Work,
  now: number,
): string | undefined {
  if (database !== null) return database;
  const seen = looking(detectors).flatMap(({ lastSuccess }) => lastSuccess ?? []);
  if (seen.length === 0) return 'no detector has seen the market yet';
  // What lies ahead was seen by a clock that was set back since: when, is not known.
  if (!seen.some((at) => Math.abs(now - at) <= observedWithin))
    return 'no detector has seen the market for 15 minutes';
  const old = oldData(quality);
  if (old.length > 0) return `the data service has old data only: ${old.join(', ')}`;
  if (quality?.status === 'DOWN') return 'the data service reports its data as DOWN';
  if (lateCanary) return 'a test alert has not arrived';
  if (refused > 0) return 'a platform does not accept its token';
  if (paused) return 'an operator has paused all sending';
  if (waiting !== null && waiting > deliveredWithin) return 'a message has been due for more than 10 minutes';
  return undefined;
}

/**
 * Returns the detectors whose success says that the market is observed. People's own alerts ask for nothing that none of them
 * needs, and such a look succeeds while the data service is away: they count only where nothing else looks.
 */
function looking(detectors: Work['detectors']): Work['detectors'] {
  const others = detectors.filter(({ name }) => name !== ownRule);
  return others.length > 0 ? others : detectors;
}

/** Returns the checks whose data is too old. That of liquidations does not count: hours without any are normal. */
const oldData = (quality: Work['quality']): readonly string[] =>
  Object.entries(quality?.checks ?? {}).flatMap(([name, { fresh }]) =>
    fresh || name === 'liquidation_events' ? [] : [name],
  );

export interface AliveOptions {
  readonly store: Pick<Store, 'outbox' | 'sending' | 'detectors' | 'guard'>;
  readonly detectors: () => readonly WatchStatus[];
  readonly quality: () => Work['quality'];
  readonly refusals: ReadonlyMap<string, unknown>;
  readonly canary?: Canary['read'];
  readonly market: () => MarketClock;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const readWork = async ({
  store,
  detectors,
  quality,
  refusals,
  canary,
  market,
}: AliveOptions): Promise<Work> => {
  const { oldest } = await store.outbox.backlog();
  const { now, speed } = market();
  return {
    detectors: detectors(),
    quality: quality(),
    waiting: oldest === null ? null : (now() - oldest) / speed,
    refused: refusals.size,
    paused: (await store.sending.paused()) !== null,
    lateCanary: (await canary?.())?.late ?? false,
    database: store.guard.problem(),
  };
};

/**
 * A dead man's switch: requests the URL again and again, but only while the market is observed and messages get sent. The
 * service behind the URL (healthchecks.io, Uptime Kuma) calls the operator when the requests stop, whatever has died.
 */
export function keepPinging(
  { url, every, http }: { readonly url: Secret; readonly every: number; readonly http?: Dispatcher },
  options: AliveOptions,
): Loop {
  const { wall, log } = options;
  let lastProblem: string | undefined;
  const reportProblem = (problem: string | undefined) => {
    if (problem === lastProblem) return;
    if (problem === undefined) log.info('the URL of alive is asked for while the bot works');
    else log.warn({ problem }, 'the URL of alive is not asked for');
    lastProblem = problem;
  };
  const ping = async (): Promise<string | undefined> => {
    const { statusCode, body } = await request(url.reveal(), {
      signal: AbortSignal.timeout(10 * second),
      ...(http !== undefined && { dispatcher: http }),
    });
    await body.dump();
    return statusCode < 300 ? undefined : `it answers ${statusCode}`;
  };
  return startLoop(
    async () => {
      reportProblem(failureReason(await readWork(options), wall.now()) ?? (await ping()));
      return every;
    },
    // The URL is a secret and a network error may contain it, so the error is not logged.
    { wall, onError: () => reportProblem('it, or the database, cannot be reached') },
  );
}

/** The kind of the daily post. Nobody can subscribe to it. */
export const aliveLine = 'alive';

const state = z.object({ day: z.int() });

/** A last day further ahead than tomorrow was told by a clock that was wrong: waiting for it would be silence. */
export const isNewDay = (today: number, last: number): boolean => today > last || today < last - 1;

/** Posts once a market day, at the place that the operator chose, that the bot works and how many detectors see the market. */
export function keepAliveLine(
  { only, pipeline }: { readonly only: Receiver; readonly pipeline: Pick<Pipeline, 'dispatch'> },
  options: AliveOptions,
): Loop {
  const { store, market, wall, log } = options;
  const post = (
    status: Change['status'],
    { of: dayNumber, seen, all }: { readonly of: number; readonly seen: number; readonly all: number },
  ): Change => ({
    status,
    labels: { kind: aliveLine, day: String(dayNumber) },
    severity: 'info',
    annotations: {
      title: msg('Tocsin works'),
      summary: msg('{seen} of {all} kinds of alert see the market.', { seen: count(seen), all: count(all) }),
      facts: [],
      dataTime: market().now(),
    },
    only,
  });
  return startLoop(
    async () => {
      const today = Math.floor(market().now() / day);
      const past = state.safeParse(await store.detectors.state(aliveLine)).data;
      if (past !== undefined && !isNewDay(today, past.day)) return minute;
      if (failureReason(await readWork(options), wall.now()) !== undefined) return minute;
      const detectors = options.detectors();
      const seen = detectors.filter(({ problem }) => problem === null).length;
      const before =
        past === undefined ? [] : [post('resolved', { of: past.day, seen, all: detectors.length })];
      const changes = [...before, post('firing', { of: today, seen, all: detectors.length })];
      await pipeline.dispatch({ name: aliveLine, groupWait: 0 }, { state: { day: today }, changes });
      return minute;
    },
    { wall, onError: (error) => log.warn({ err: error }, 'could not post that the bot works; retrying') },
  );
}
