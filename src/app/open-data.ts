import type { Logger } from 'pino';
import { Agent } from 'undici';
import { noBudgetLog } from '../client/budget.ts';
import { type Client, type ClientOptions, createClient } from '../client/create-client.ts';
import { type Meta, trackMeta } from '../client/meta.ts';
import type { Board } from '../platforms/board.ts';
import { marketClock, realTime, steadyClock, type WallClock } from '../runtime/clock.ts';
import type { Asking } from '../runtime/true-time.ts';
import { minute, second } from '../runtime/units.ts';
import type { Store } from '../store/store.ts';
import { createMarketBinding } from './bind-market.ts';
import { createBoard } from './board/board.ts';
import { keepBoard } from './board/keep-board.ts';
import type { Config } from './config.ts';
import { type DataQualityWatch, watchDataQuality } from './data-quality.ts';
import type { DataService } from './data-service.ts';

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

export interface Data {
  readonly client: Client;
  /** What the service reports about itself, from which market time follows. */
  readonly meta: Meta;
  /** What the service reports about its data, while this process watches the market. */
  readonly quality: DataQualityWatch;
  /** The state of the market, from all that was requested. */
  readonly board: Board;
  /** Resolves when the service has the data that the bot needs to begin. */
  readonly ready: Promise<void>;
  /** Binds the database to the service's market: see createMarketBinding. Called after the service has responded. @throws ConfigError */
  bindMarket(): Promise<void>;
  /** Stores market time for the next start, after binding the database. @throws ConfigError */
  keepTime(market: number): Promise<void>;
  close(): Promise<void>;
}

/** Opens the client through which the bot requests data from the service. @throws ConfigError if the service did not start */
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
    service,
  }: {
    readonly service: DataService;
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
  const { url: baseUrl, apiKey } = await service.open;
  await using started = new AsyncDisposableStack();
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
    baseUrl,
    ...(url !== null && { asking }),
    ...(apiKey !== null && { apiKey }),
    market: () => meta.market(),
    // The embedded service has a new key at each start, under which no earlier request counts.
    budget: { ...budget, log: url === null ? noBudgetLog : store.requests },
    timeouts: { attempt: timeout, patience: 5 * second },
  });
  started.defer(() => client.close());
  const time = await rememberMarket(store, { service: url ?? 'embedded', wall });
  const meta = trackMeta(client.polls, { wall, initialClock: time.last });
  const bindMarket = createMarketBinding(config, { store, meta, log });
  const data = client.questions({ chat: 'board' });
  const boardLoop = keepBoard(board, { data, market: meta.market, tracked: meta.symbols, wall, log });
  started.adopt(boardLoop, (it) => it.stop());

  const running = started.move();
  return {
    board,
    client,
    meta,
    quality: watchDataQuality({ data: client.polls, market: meta.market, wall, log }),
    ready: service.ready,
    bindMarket,
    async keepTime(now) {
      await bindMarket();
      await time.keep(now);
    },
    close: () => running.disposeAsync(),
  };
}
