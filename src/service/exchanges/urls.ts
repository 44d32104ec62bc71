export interface VenueUrls {
  /** Base URL of the REST API, to which paths such as `/fapi/v1/klines` are appended. */
  readonly rest: string;
  /** Base URL of the WebSocket streams. */
  readonly stream: string;
}

/** Base URLs of the upstreams. */
export interface ExchangeUrls {
  /** Addresses by the venue's name. A venue that is missing here uses the `urls` of its own definition. */
  readonly venues: Readonly<Record<string, VenueUrls>>;
  /** Base URL of `/api/v2/public/…`. */
  readonly deribit: string;
  /** Base URL of `/fng/`. */
  readonly fearGreed: string;
  /** Base URL of `/stablecoincharts/all`. */
  readonly stablecoins: string;
  /** URL of an HTTP proxy for all upstreams, WebSockets included. May contain a password. */
  readonly proxy?: string | undefined;
}

export interface LiveUrls extends ExchangeUrls {
  /** Base URL of `/fred/…`. */
  readonly fred: string;
}
