import type { Logger } from 'pino';
import type { Secret } from '../runtime/secret.ts';
import type { Config } from './config.ts';
import { requireFreePorts } from './ports.ts';

/** A data service that is starting in a thread, or is hosted elsewhere. */
export interface DataService {
  /** Resolves when the service accepts requests. @throws ConfigError */
  readonly open: Promise<{ readonly url: string; readonly apiKey: Secret | null }>;
  /** Resolves when the service has the data that the bot needs to begin; at once for a hosted service. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the hosted data service if a URL is configured; otherwise starts the embedded one in a thread beside the bot, and
 * does not await it: the thread loads its code while the caller loads the bot's.
 * @throws ConfigError if another process listens on the bot's ports, before anything is started
 */
export async function startDataService(config: Config, log: Logger): Promise<DataService> {
  await requireFreePorts(config);
  const { url, apiKey } = config.data;
  if (url !== null)
    return { open: Promise.resolve({ url, apiKey }), ready: Promise.resolve(), close: async () => {} };

  const open = startEmbedded(config, log);
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
}

async function startEmbedded({ data: { venue, venues: others, embedded } }: Config, log: Logger) {
  // Loaded on first use: with a hosted service none of this is needed.
  const [service, { readMarket }] = await Promise.all([
    import('../service/embedded.ts'),
    import('../service/market-choice.ts'),
  ]);
  return service.startEmbedded({
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
