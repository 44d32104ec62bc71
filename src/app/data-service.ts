import type { Logger } from 'pino';
import { Agent } from 'undici';
import { noBudgetLog } from '../client/budget.ts';
import { type Client, type ClientOptions, createClient } from '../client/create-client.ts';
import { type Meta, trackMeta } from '../client/meta.ts';
import type { Board } from '../platforms/board.ts';
import { marketClock, realTime, steadyClock, type WallClock } from '../runtime/clock.ts';
import type { Secret } from '../runtime/secret.ts';
import type { Asking } from '../runtime/true-time.ts';
import { minute, second } from '../runtime/units.ts';
import type { Store } from '../store/store.ts';
import { createBoard } from './board/board.ts';
import { keepBoard } from './board/keep-board.ts';
import type { Config } from './config.ts';

/**
 * Remembers market time across restarts. If market time differs from wall time, a bot that starts before its data service
 * continues from the time that the service reported last: by wall time everything of a past market would be overdue,
 * expired or pruned at once.
 */
async function rememberMarket(
  store: Store,
  { service, wall }: { readonly service: string; readonly wall: WallClock },
) {
  const name = `market time of ${service}`;
  const kept = await store.settings.get(name);
  const last =
    kept === undefined
      ? realTime(wall)
      : marketClock(wall, { market: Number(kept), wall: wall.now(), speed: 1 });
  return {
    last,
    async keep(now: number): Promise<void> {
      const isRealTime = Math.abs(now - wall.now()) < minute;
      if (!isRealTime || kept !== undefined) await store.settings.put(name, String(now));
    },
  };
}

interface DataService {
  readonly url: string;
  readonly apiKey: Secret | null;
  /** Resolves when the embedded service has the data that the bot needs to begin; at once for a hosted service. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Returns the hosted data service if a URL is configured; otherwise starts the embedded one in a thread beside the bot. */
async function startService(config: Config, log: Logger): Promise<DataService> {
  const { url, apiKey, venue, venues: others, embedded } = config.data;
  if (url !== null) return { url, apiKey, ready: Promise.resolve(), close: async () => {} };
  // Loaded on first use: with a hosted service none of this is needed.
  const [{ startEmbedded }, { readMarket }] = await Promise.all([
    import('../service/embedded.ts'),
    import('../service/market-choice.ts'),
  ]);
  return startEmbedded({
    market: readMarket(embedded.market, { settings: { ...embedded, venue } }),
    speed: embedded.market === 'live' ? 1 : embedded.speed,
    host: '127.0.0.1',
    port: embedded.port,
    archiveUrl: embedded.archive,
    symbols: embedded.symbols,
    others,
    audit: embedded.audit,
    log,
  });
}

export interface Data {
  readonly client: Client;
  /** What the service reports about itself, from which market time follows. */
  readonly meta: Meta;
  /** The state of the market, from all that was requested. */
  readonly board: Board;
  /** Resolves when the service has the data that the bot needs to begin. */
  readonly ready: Promise<void>;
  /** Stores market time for the next start. */
  keepTime(market: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the data service and the client through which the bot requests data. @throws ConfigError */
export async function openData(
  config: Config,
  {
    store,
    wall,
    random,
    log,
    asking,
    onAnswer,
    tracer,
  }: {
    readonly store: Store;
    readonly wall: WallClock;
    /** 0 ≤ x < 1. */
    readonly random: () => number;
    readonly log: Logger;
    /** Compares a hosted service's clock with this machine's. The embedded service has this machine's clock. */
    readonly asking: Asking;
    readonly onAnswer: ClientOptions['onAnswer'];
    readonly tracer: ClientOptions['tracer'];
  },
): Promise<Data> {
  const { url, budget, timeout, maxBody } = config.data;
  await using started = new AsyncDisposableStack();
  const service = started.adopt(await startService(config, log), (it) => it.close());
  const http = started.adopt(new Agent({ connections: 16, pipelining: 1 }), (it) => it.destroy());
  const stopped = new AbortController();
  started.defer(() => stopped.abort());
  const board = createBoard((work, ms) => void wall.sleep(ms, stopped.signal).then(work, () => {}));
  const client = createClient({
    wall,
    steady: steadyClock,
    random,
    http,
    maxBody,
    onAnswer,
    tracer,
    onFetched: board.applyAnswer,
    baseUrl: service.url,
    ...(url !== null && { asking }),
    ...(service.apiKey !== null && { apiKey: service.apiKey }),
    market: () => meta.market(),
    // The embedded service has a new key at each start, under which no earlier request counts.
    budget: { ...budget, log: url === null ? noBudgetLog : store.requests },
    timeouts: { attempt: timeout, patience: 5 * second },
  });
  started.defer(() => client.close());
  const time = await rememberMarket(store, { service: url ?? 'embedded', wall });
  const meta = trackMeta(client.polls, { wall, initialClock: time.last });
  const data = client.questions({ chat: 'board' });
  const boardLoop = keepBoard(board, { data, market: meta.market, tracked: meta.symbols, wall, log });
  started.adopt(boardLoop, (it) => it.stop());

  const running = started.move();
  return {
    board,
    client,
    meta,
    ready: service.ready,
    keepTime: time.keep,
    close: () => running.disposeAsync(),
  };
}
