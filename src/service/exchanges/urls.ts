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
  /** An HTTP proxy through which all of them are reached, sockets too; may hold a password. */
  readonly proxy?: string;
}

/** Of a live market. */
export interface LiveUrls extends Omit<ExchangeUrls, 'tape'> {
  /** `/fred/…` below it. */
  readonly fred: string;
}
