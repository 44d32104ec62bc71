/** Base URLs of the upstreams; the simulator gives its own, the clients are the same. */
export interface ExchangeUrls {
  /** REST, e.g. `/fapi/v1/klines` below it. */
  readonly binance: string;
  /** WebSocket root: `/market/ws/…` and `/public/ws/…` below it. */
  readonly binanceStream: string;
  /** `/api/v2/public/…` below it. */
  readonly deribit: string;
  /** `/fng/` below it. */
  readonly fearGreed: string;
  /** `/stablecoincharts/all` below it. */
  readonly stablecoins: string;
  /** The simulator's alone: the past of feeds that no exchange lets one backfill, and macro series. */
  readonly tape?: string;
  /** An HTTP proxy through which all of them are reached, sockets too. */
  readonly proxy?: string;
}

export const liveUrls: ExchangeUrls = {
  binance: 'https://fapi.binance.com',
  binanceStream: 'wss://fstream.binance.com',
  deribit: 'https://www.deribit.com',
  fearGreed: 'https://api.alternative.me',
  stablecoins: 'https://stablecoins.llama.fi',
};
