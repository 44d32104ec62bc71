import type { Logger } from 'pino';
import type { Secret } from '../runtime/secret.ts';
import { openThread, type ServiceThread, startEmbedded } from '../service/run/embedded.ts';
import { requireFreePorts } from './cli/ports.ts';
import type { Config } from './config/config.ts';
import type { Env } from './config/environment.ts';

/** A data service that is starting in a thread, or is hosted elsewhere. */
export interface DataService {
  /** Resolves when the service accepts requests. @throws ConfigError */
  readonly open: Promise<{ readonly url: string; readonly apiKey: Secret | null }>;
  /** Resolves when the service has the data that the bot needs to begin; at once for a hosted service. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** @throws ConfigError if another process listens on the bot's ports, before a database is opened or data is collected */
type StartDataService = (config: Config, log: Logger) => Promise<DataService>;

/**
 * Returns a function that returns the hosted data service if a URL is configured. Otherwise it starts the embedded one in a
 * thread beside the bot, and does not await it: the thread loads its code while the caller loads the bot's. The first thread
 * begins to load before the configuration is read, unless the environment shows that none is needed.
 */
export function prepareDataService(env: Env): StartDataService {
  // A variable without a value counts as absent (environment.ts).
  let opened = env.TOCSIN_API_URL ? undefined : openThread();
  return async (config, log) => {
    const opening = opened;
    opened = undefined;
    const endThread = async (error: unknown): Promise<never> => {
      await opening?.thread.end();
      throw error;
    };
    await requireFreePorts(config).catch(endThread);
    const { url, apiKey } = config.data;
    if (url !== null) {
      await opening?.thread.end();
      return { open: Promise.resolve({ url, apiKey }), ready: Promise.resolve(), close: async () => {} };
    }

    const open = start(config, log, opening).catch(endThread);
    const ready = open.then((service) => service.ready);
    // Whoever awaits the service learns of its failure; until then it is no unhandled rejection.
    ready.catch(() => {});
    return {
      open,
      ready,
      close: () =>
        open.then(
          (service) => service.close(),
          () => {},
        ),
    };
  };
}

async function start(
  { data: { venue, venues: others, embedded } }: Config,
  log: Logger,
  opened: ServiceThread | undefined,
) {
  // Loaded on first use: with a hosted service it is not needed.
  const { readMarket } = await import('../service/run/market-choice.ts');
  const options = {
    market: readMarket(embedded.market, { settings: { ...embedded, venue } }),
    speed: embedded.market === 'live' ? 1 : embedded.speed,
    host: '127.0.0.1',
    port: embedded.port,
    archiveUrl: embedded.archive,
    symbols: embedded.symbols,
    others,
    checks: embedded.checks,
    log,
  };
  return startEmbedded(options, opened);
}
