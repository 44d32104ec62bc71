import type { Logger } from 'pino';
import { Agent } from 'undici';
import { noBudgetLog } from '../client/budget.ts';
import { type Client, type ClientOptions, createClient } from '../client/create-client.ts';
import { type Meta, trackMeta } from '../client/meta.ts';
import { maxConnections } from '../client/request.ts';
import { realTime, steadyClock, type WallClock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';
import { liveMarket } from '../store/market/bind-market.ts';
import type { Store } from '../store/ports.ts';
import { boundMarket, createMarketBinding } from './bind-market.ts';
import type { Config } from './config/config.ts';
import { createBoard, type FilledBoard } from './console/board/board.ts';
import { keepBoard } from './console/board/keep-board.ts';
import { type DataQualityWatch, watchDataQuality } from './data-quality.ts';
import type { DataService } from './data-service.ts';

interface Data {
  readonly client: Client;
  /** What the service reports about itself, from which market time follows. */
  readonly meta: Meta;
  /** What the service reports about its data, while this process watches the market. */
  readonly quality: DataQualityWatch;
  /** The state of the market, from all that was requested. */
  readonly board: FilledBoard;
  /** Resolves when the service has the data that the bot needs to begin. */
  readonly ready: Promise<void>;
  /** Binds the database to the service's market: see createMarketBinding. Called after each of its responses. @throws ConfigError */
  bindMarket(): Promise<void>;
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
    service,
    ...callbacks
  }: {
    readonly service: DataService;
    readonly store: Store;
    readonly wall: WallClock;
    /** 0 ≤ x < 1. */
    readonly random: () => number;
    readonly log: Logger;
  } & Pick<ClientOptions, 'onAnswer' | 'onRefused'>,
): Promise<Data> {
  const { url, budget, timeout, maxBody } = config.data;
  const { url: baseUrl, apiKey } = await service.open;
  await using started = new AsyncDisposableStack();
  const http = started.adopt(new Agent({ connections: maxConnections, pipelining: 1 }), (it) => it.destroy());
  const stopped = new AbortController();
  started.defer(() => stopped.abort());
  const board = createBoard((work, ms) => void wall.sleep(ms, stopped.signal).then(work, () => {}));
  const client = createClient({
    wall,
    steady: steadyClock,
    random,
    http,
    maxBody,
    ...callbacks,
    doubt: () => meta.doubt(),
    onFetched: board.applyAnswer,
    baseUrl,
    ...(apiKey !== null && { apiKey }),
    market: () => meta.market(),
    // The embedded service has no limit of its own, and a new key at each start, under which no earlier request counts.
    budget: {
      ...budget,
      ...(url === null ? { log: noBudgetLog } : { log: store.requests, clock: realTime(wall) }),
    },
    timeouts: { attempt: timeout, patience: 5 * second },
  });
  started.defer(() => client.close());
  const bound = await store.market.bound();
  const marketOf = (source?: string) => boundMarket(config, source);
  // A database of a market that this configuration cannot have: the operator has changed it, and the service says no news.
  const isKnown = url === null || bound?.market === liveMarket || bound?.market === url;
  const meta = trackMeta(client.polls, {
    wall,
    hosted: url !== null,
    marketOf,
    // An earlier version stored no wall time: then any time that has passed explains the market's.
    believed:
      isKnown && bound !== undefined
        ? { live: bound.market === liveMarket, speed: 1, wall: 0, ...bound }
        : undefined,
  });
  const bindMarket = createMarketBinding({ store, meta, forget: board.clear, log });
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
    close: () => running.disposeAsync(),
  };
}
