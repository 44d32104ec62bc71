import type { Logger } from 'pino';
import type { Meta } from '../client/meta.ts';
import { liveMarket } from '../store/market/bind-market.ts';
import type { MarketBinding } from '../store/ports.ts';
import type { Config } from './config/config.ts';

type DataConfig = Pick<Config, 'data'>;

/** Names the market in the rows of the record, so that a simulated market's are kept apart from a live one's. */
export const recordMarket = ({ data: { url, embedded } }: DataConfig): string =>
  url ?? `${embedded.market} ${embedded.seed}`;

/**
 * Names the market that the bot's database is bound to. Live data is of one market, whoever collects it and wherever the
 * service is.
 * @param source what the data service says of itself; undefined if it says nothing, as a service without extensions
 */
export function boundMarket({ data: { url, embedded } }: DataConfig, source = liveMarket): string {
  if (source === liveMarket) return liveMarket;
  if (url !== null) return url;
  return embedded.market === 'simulated' ? `simulated (seed ${embedded.seed})` : embedded.market;
}

/**
 * Returns a function to call after each response of the data service's `/meta`: it binds the bot's database to the market that
 * is believed to be the service's, logs what became of another market's alerts, and then keeps the market's time.
 * @throws ConfigError if the database belongs to another market
 */
export function createMarketBinding({
  store,
  meta,
  forget = () => {},
  log,
}: {
  readonly store: { readonly market: Pick<MarketBinding, 'bind' | 'keepTime'> };
  readonly meta: Pick<Meta, 'believed'>;
  /** Forgets what this process keeps in memory of a market that has ended. */
  readonly forget?: () => void;
  readonly log: Pick<Logger, 'warn'>;
}): () => Promise<void> {
  let isBound = false;
  return async () => {
    const believed = meta.believed();
    if (believed === undefined) return;
    const { market, time: now, live: _, ...reported } = believed;
    if (isBound && (await store.market.keepTime(market, { ...reported, now }))) return;
    const before = await store.market.bind(market, { ...reported, now });
    isBound = true;
    if (before === undefined) return;
    forget();
    log.warn({ before, market }, otherMarketEnds);
  };
}

const otherMarketEnds =
  'this database was of another market, or of an earlier run of this one: its alerts, what waited to be sent and the ' +
  'delivery log are deleted; subscriptions, rules, silences and preferences stay';
