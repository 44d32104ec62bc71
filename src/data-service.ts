import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { marketClock, realTime, type WallClock } from './runtime/clock.ts';
import type { Secret } from './runtime/secret.ts';
import { minute } from './runtime/units.ts';
import type { Store } from './store/store.ts';

/**
 * Market time across restarts. Where it is not ours, a bot that starts before its service goes on from what was
 * told last: by wall time everything of a market past would be overdue, expired or forgotten at once.
 */
export async function rememberMarket(store: Store, service: string, wall: WallClock) {
  const name = `market time of ${service}`;
  const kept = await store.settings.get(name);
  const last =
    kept === undefined
      ? realTime(wall)
      : marketClock(wall, { market: Number(kept), wall: wall.now(), speed: 1 });
  return {
    last,
    async keep(now: number): Promise<void> {
      const ours = Math.abs(now - wall.now()) < minute;
      if (!ours || kept !== undefined) await store.settings.put(name, String(now));
    },
  };
}

export interface DataService {
  readonly url: string;
  readonly apiKey: Secret | null;
  /** The embedded one has what is needed to begin. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** The hosted data service where a URL is given, and otherwise our own in a thread beside the bot. */
export async function dataService(config: Config, log: Logger): Promise<DataService> {
  const { url, apiKey, embedded } = config.data;
  if (url !== null) return { url, apiKey, ready: Promise.resolve(), close: async () => {} };
  // Loaded on first use: with a hosted service none of this is needed.
  const [{ startEmbedded }, { readMacro, readMarket }] = await Promise.all([
    import('./service/embedded.ts'),
    import('./service/market-choice.ts'),
  ]);
  const service = await startEmbedded({
    market: readMarket(embedded.market, embedded.seed, {
      macro: readMacro(embedded.macro, embedded.fredKey),
    }),
    speed: embedded.market === 'live' ? 1 : embedded.speed,
    host: '127.0.0.1',
    port: embedded.port,
    archiveUrl: embedded.archive,
    symbols: embedded.symbols,
    log,
  });
  service.onExit(({ error, restartIn }) =>
    log.error({ err: error, restartIn }, 'the embedded data service died and is started again'),
  );
  return service;
}
