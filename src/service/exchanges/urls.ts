/** Where one venue is asked. */
export interface VenueUrls {
  /** REST, e.g. `/fapi/v1/klines` below it. */
  readonly rest: string;
  /** WebSocket root. */
  readonly stream: string;
}

/** Base URLs of the upstreams; the simulator gives its own, the clients are the same. */
export interface ExchangeUrls {
  /** By the venue's name; one that is left out is asked at its own. */
  readonly venues: Readonly<Record<string, VenueUrls>>;
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
