import type { Logger } from 'pino';
import { Agent } from 'undici';
import { sourceLine } from '../card/source.ts';
import { type Client, type ClientOptions, createClient } from '../client/create-client.ts';
import { keepLivePrices, type LivePrices } from '../client/live-prices.ts';
import { type Meta, trackMeta } from '../client/meta.ts';
import { maxConnections } from '../client/request.ts';
import { noRequestLog } from '../client/request-budget.ts';
import { stream } from '../contract/stream.ts';
import { keepExamined } from '../database/keep-examined.ts';
import type { Text } from '../language/text.ts';
import { addressesOf } from '../platforms/platform.ts';
import { type Clock, realTime, steadyClock, type WallClock } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';
import type { BotStatus } from '../shell/command.ts';
import { liveMarket } from '../store/market/bind-market.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/ports.ts';
import { boundMarket, createMarketBinding, recordMarket } from './bind-market.ts';
import type { Config } from './config/config.ts';
import { createBoard, type FilledBoard } from './console/board/board.ts';
import { keepBoard } from './console/board/keep-board.ts';
import { type DataQualityWatch, watchDataQuality } from './data-quality.ts';
import type { DataService } from './data-service.ts';

/** What all parts of a running bot stand on: its database, the data service, the market's time and this machine's clocks. */
export interface Core {
  readonly config: Config;
  readonly store: Store;
  /** What the platforms know of addresses. */
  readonly addresses: ReturnType<typeof addressesOf>;
  readonly client: Client;
  /** The prices that the service streams. */
  readonly live: LivePrices;
  /** What the service reports about itself, from which market time follows. */
  readonly meta: Meta;
  /** What the service reports about its data, while this process watches the market. */
  readonly quality: DataQualityWatch;
  /** The state of the market, from all that was requested. */
  readonly board: FilledBoard;
  /** Name of the market in the rows of the record. */
  readonly market: string;
  /** Market ms. */
  readonly now: () => number;
  /** The followed markets, which have history and alerts; the largest volume first. */
  readonly universe: () => readonly string[];
  /** Every market that can be named and asked about, followed or not; the largest volume first. */
  readonly listed: () => readonly string[];
  /** Returns where the data comes from, as cards show it. */
  readonly source: () => Text;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly log: Logger;
  /** Resolves when the service has the data that the bot needs to begin. */
  readonly ready: Promise<void>;
  /** Binds the database to the service's market: see createMarketBinding. Called after each of its responses. @throws ConfigError */
  bindMarket(): Promise<void>;
  close(): Promise<void>;
}

interface CoreOptions extends Pick<Core, 'config' | 'wall' | 'log'> {
  readonly service: DataService;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  readonly monitoring: Required<Pick<ClientOptions, 'onAnswer' | 'onRefused'>>;
}

/** Opens the database, and the client through which the bot requests data. @throws ConfigError, also if the service did not start */
export async function openCore({
  config,
  service,
  monitoring,
  wall,
  random,
  log,
}: CoreOptions): Promise<Core> {
  const { url, budget, timeout, maxBody } = config.data;
  await using started = new AsyncDisposableStack();
  const addresses = addressesOf([...config.platforms, ...config.connectable].map(({ platform }) => platform));
  const store = started.adopt(await openStore(config.database, { alone: true, addresses }), (it) =>
    it.close(),
  );
  started.adopt(keepExamined({ database: store, look: store.look, wall, steady: steadyClock, log }), (it) =>
    it.stop(),
  );
  const { url: baseUrl, apiKey } = await service.open;
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
    onAnswer: monitoring.onAnswer,
    onRefused: monitoring.onRefused,
    doubt: () => meta.doubt(),
    renewTime: () => meta.renew(),
    onFetched: board.applyAnswer,
    baseUrl,
    ...(apiKey !== null && { apiKey }),
    market: () => meta.market(),
    // The embedded service has no limit of its own, and a new key at each start, under which no earlier request counts.
    budget: {
      ...budget,
      ...(url === null ? { log: noRequestLog } : { log: store.requests, clock: realTime(wall) }),
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
    // Without a wall time, any time that has passed explains the market's.
    believed:
      isKnown && bound !== undefined ? { live: bound.market === liveMarket, wall: 0, ...bound } : undefined,
  });
  const live = started.adopt(
    keepLivePrices({
      ...{ baseUrl, apiKey, http, wall, random },
      steady: steadyClock,
      market: meta.market,
      doubt: meta.doubt,
      isOffered: () => meta.last()?.extensions.includes(stream.name) === true,
    }),
    (it) => it.stop(),
  );
  const data = client.questions({ chat: 'board' });
  const boardLoop = keepBoard(board, { data, market: meta.market, tracked: meta.symbols, wall, log });
  started.adopt(boardLoop, (it) => it.stop());

  const running = started.move();
  return {
    config,
    store,
    addresses,
    client,
    live,
    meta,
    quality: watchDataQuality({ data: client.polls, market: meta.market, wall, log }),
    board,
    market: recordMarket(config),
    now: () => meta.market().now(),
    universe: meta.symbols,
    listed: meta.listed,
    source: () => sourceLine(sourceOf(meta)),
    wall,
    steady: steadyClock,
    log,
    ready: service.ready,
    bindMarket: createMarketBinding({ store, meta, forget: board.clear, log }),
    close: () => running.disposeAsync(),
  };
}

/** Returns the source of the data, as cards and the status show it. */
export const sourceOf = (meta: Meta): Pick<BotStatus, 'source' | 'venue' | 'speed'> => ({
  source: meta.source(),
  venue: meta.last()?.venue?.title,
  speed: meta.market().speed,
});
