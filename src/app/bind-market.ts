import type { Logger } from 'pino';
import type { Meta } from '../client/meta.ts';
import { liveMarket } from '../store/bind-market.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';

/** Names the market that the records belong to, so that records of a simulated market are kept apart from a live one's. */
export const marketName = ({ data: { url, embedded } }: Pick<Config, 'data'>): string => {
  if (url !== null) return url;
  return embedded.market === 'simulated' ? `simulated (seed ${embedded.seed})` : embedded.market;
};

/**
 * Names the market that the bot's database is bound to. Live data is of one market, whoever collects it and wherever the
 * service is.
 * @param source what the data service says of itself; undefined if it says nothing, as a service without extensions
 */
export const boundMarket = (config: Pick<Config, 'data'>, source = liveMarket): string =>
  source === liveMarket ? liveMarket : marketName(config);

/**
 * Returns a function that binds the bot's database to the market of the data service, once; called after the service has
 * responded. It logs what became of another market's alerts. @throws ConfigError
 */
export function createMarketBinding(
  config: Pick<Config, 'data'>,
  {
    store,
    meta,
    log,
  }: {
    readonly store: Pick<Store, 'bindMarket'>;
    readonly meta: Pick<Meta, 'last' | 'market'>;
    readonly log: Pick<Logger, 'warn'>;
  },
): () => Promise<void> {
  let isBound = false;
  return async () => {
    if (isBound) return;
    const market = boundMarket(config, meta.last()?.source);
    const before = await store.bindMarket(market, meta.market().now());
    isBound = true;
    if (before !== undefined) log.warn({ before, market }, otherMarketEnds);
  };
}

const otherMarketEnds =
  'this database was of another market, or of an earlier run of this one: its alerts, what waited to be sent and the ' +
  'delivery log are deleted; subscriptions, rules, silences and preferences stay';
