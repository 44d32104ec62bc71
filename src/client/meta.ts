import type { DataClient } from '../contract/data-client.ts';
import { contract, type EndpointAnswer } from '../contract/index.ts';
import { type MarketClock, marketClock, maxAhead, realTime, type WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { minute, second } from '../runtime/units.ts';
import { type Believed, createBelief, type MarketStatement } from './belief.ts';
import { createTrackedSymbols } from './tracked.ts';

/** What the data service reports about itself on /meta, and the market time that follows from it. */
export interface Meta {
  /** Returns the last response that was believed; undefined if the service has no /meta or has not been reached yet. */
  last(): EndpointAnswer<'meta'> | undefined;
  /** Returns the source of the data; `hosted` if the service does not say, `loading` until it can be asked. */
  source(): string;
  /** Returns what is believed of the service's market; undefined until it has been reached for the first time. */
  believed(): Believed | undefined;
  /** Returns why nothing that the service says is believed for now (belief.ts); undefined: it is. */
  doubt(): string | undefined;
  /** Returns the followed markets, the largest volume first; none until the service has been reached. */
  symbols(): readonly string[];
  /** Returns every market that can be asked about, followed or not, the largest volume first. */
  listed(): readonly string[];
  market(): MarketClock;
  /** Returns wall ms since the service last responded to /meta; Infinity if it never has. */
  silentFor(): number;
  /** Wall ms until /meta is requested again. */
  interval(): number;
  /** Requests /meta again. Rejects with an ApiError. A service without /meta is no error: its market time is wall time. */
  refresh(signal?: AbortSignal): Promise<void>;
  /**
   * Requests /meta again because data lies ahead of market time: a market may have begun to run at its own speed, as it does once
   * its past is loaded. Of a live market, and of a hosted service that was asked a moment ago, nothing is requested.
   */
  renew(): Promise<void>;
}

/** Returns the wall ms between two requests for /meta: shorter for a market that runs faster than real time. */
export const metaInterval = (speed: number): number => Math.max(2 * second, minute / speed);

/** The least of it where a request counts against a hosted service's limit: while it is getting ready, and then. */
const hostedInterval = { starting: 10 * second, ready: minute };

/** How long a service that has never offered /meta is not asked for it again, wall ms: each answer costs a request of its budget. */
const pauseWithoutMeta = 5 * minute;

const liveSource = 'live';

/** The error that network delay may add to a reported time, wall ms. The clock is not corrected by less than this. */
const jitter = 2 * second;

/**
 * @param believed what the database is bound to; absent: nothing yet
 * @param hosted the service is no part of this process, which is believed whatever it says, and a request counts against its limit
 * @param marketOf names the market of a source; without a source, as of a service without /meta, the live one
 */
export function trackMeta(
  data: Pick<DataClient, 'meta' | 'marketOverview' | 'volumeCvd'>,
  {
    wall,
    believed,
    hosted = false,
    marketOf = (source = liveSource) => source,
  }: {
    readonly wall: WallClock;
    readonly believed?: Believed | undefined;
    readonly hosted?: boolean;
    readonly marketOf?: (source?: string) => string;
  },
): Meta {
  const tracked = createTrackedSymbols(data, wall);
  const belief = createBelief(believed, !hosted);
  let last: EndpointAnswer<'meta'> | undefined;
  // A simulated or recorded market continues from the time that was believed last: by wall time everything of a past market
  // would be overdue, expired or pruned at once.
  let market =
    believed === undefined || believed.live
      ? realTime(wall)
      : marketClock(wall, { market: believed.time, wall: wall.now(), speed: 1 });
  let lastResponseAt = Number.NEGATIVE_INFINITY;
  let missingAt = Number.NEGATIVE_INFINITY;
  let doubt: string | undefined;

  const believe = (statement: MarketStatement) => {
    doubt = belief.judge(statement);
    if (doubt !== undefined) throw new ApiError(contract.meta.path, 'malformed', doubt);
    const { time, speed, wall: at } = statement;
    const reported = statement.live ? realTime(wall) : marketClock(wall, { market: time, wall: at, speed });
    if (statement.live || speed !== market.speed || Math.abs(reported.now() - market.now()) > jitter * speed)
      market = reported;
  };

  const symbols = () => last?.symbols ?? tracked.symbols();
  const silentFor = () => wall.now() - lastResponseAt;
  async function refresh(signal?: AbortSignal): Promise<void> {
    const requestedAt = wall.now();
    if (last === undefined && Math.abs(requestedAt - missingAt) < pauseWithoutMeta)
      return tracked.refresh(signal);
    let answer: EndpointAnswer<'meta'>;
    try {
      answer = await data.meta({}, signal);
    } catch (error) {
      const isNotOffered = error instanceof ApiError && error.reason === 'not_offered';
      // A service with a past market has /meta: something in front of it responds in its place. By wall time everything of
      // that market would be overdue.
      const isPast = belief.last()?.live === false;
      if (!isNotOffered || isPast) throw error;
      const now = wall.now();
      believe({ market: marketOf(), live: true, time: now, speed: 1, wall: now, ready: true });
      missingAt = requestedAt;
      return tracked.refresh(signal);
    }
    const { source, run, speed, ready } = answer;
    const live = source === liveSource;
    const wallTime = Math.floor((requestedAt + wall.now()) / 2);
    const time = Date.parse(answer.marketTime);
    // A data service that follows another one and has read no state yet.
    if (time === 0)
      throw new ApiError(contract.meta.path, 'server_error', 'the service has no market time yet');
    // A machine that slept meanwhile: the clock could be wrong by half of that, and later answers would contradict it.
    if (hosted && !live && (wall.now() - wallTime) * speed > maxAhead(speed))
      throw new ApiError(contract.meta.path, 'unreachable', 'its answer came too late to tell the time by');
    believe({
      market: marketOf(source),
      live,
      run,
      time: live ? wallTime : time,
      speed,
      wall: wallTime,
      ready,
    });
    last = answer;
    lastResponseAt = wall.now();
  }

  return {
    last: () => last,
    source: () => last?.source ?? (hosted && belief.last() !== undefined ? 'hosted' : 'loading'),
    believed: belief.last,
    doubt: () => doubt,
    symbols,
    listed: () => last?.listed ?? symbols(),
    market: () => market,
    silentFor,
    interval() {
      const starting = last?.ready === false;
      if (hosted) return hostedInterval[starting ? 'starting' : 'ready'];
      return starting ? second : metaInterval(market.speed);
    },
    refresh,
    async renew() {
      if (belief.last()?.live === true) return;
      if (hosted && silentFor() < hostedInterval.starting) return;
      // That the service does not respond is told by whoever asks it at intervals.
      await refresh().catch(() => {});
    },
  };
}
