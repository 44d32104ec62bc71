import { type Deribit, openDeribit } from '../exchanges/deribit.ts';
import { type Memory, noMemory } from '../exchanges/gate.ts';
import { type FearGreed, openFearGreed, openStablecoins, type Stablecoins } from '../exchanges/sentiment.ts';
import type { UpstreamOptions } from '../exchanges/upstream.ts';
import type { ExchangeUrls, VenueUrls } from '../exchanges/urls.ts';
import type { Venue, VenueClient } from './venue.ts';

/** A client for every upstream. */
export interface Exchanges {
  /** The primary venue, where the perpetuals are traded. */
  readonly venue: Venue;
  readonly markets: VenueClient;
  /** Base URL of the venue's WebSocket streams, and the proxy to use. Absent: the venue is simulated. */
  readonly streams?: { readonly root: string; readonly proxy?: string | undefined } | undefined;
  readonly deribit: Deribit;
  readonly fearGreed: FearGreed;
  readonly stablecoins: Stablecoins;
  close(): Promise<void>;
}

const urlsOf = ({ name, urls }: Venue, { venues }: ExchangeUrls): VenueUrls => venues[name] ?? urls;

export const streamsOf = (venue: Venue, urls: ExchangeUrls): NonNullable<Exchanges['streams']> => ({
  root: urlsOf(venue, urls).stream,
  proxy: urls.proxy,
});

/** Options that all clients share, apart from the addresses. */
export type SharedOptions = Pick<UpstreamOptions, 'wall' | 'signal' | 'onRowsDropped' | 'transport'>;

/** Opens the client of a venue. */
export const openVenue = (
  venue: Venue,
  urls: ExchangeUrls,
  options: SharedOptions & Pick<UpstreamOptions, 'memory' | 'onFailure'>,
): VenueClient =>
  venue.open({ ...options, url: urlsOf(venue, urls).rest, proxy: urls.proxy, pools: venue.pools });

export function openExchanges(
  urls: ExchangeUrls,
  {
    venue,
    memory = () => noMemory,
    ...shared
  }: SharedOptions & {
    readonly venue: Venue;
    /** Returns where an upstream's pauses and used-up limits are stored. Absent: they are lost when the process ends. */
    readonly memory?: (upstream: string) => Memory;
  },
): Exchanges {
  const optionsFor = (url: string, name: string) => ({
    ...shared,
    url,
    proxy: urls.proxy,
    memory: memory(name),
  });
  const markets = openVenue(venue, urls, { ...shared, memory: memory(venue.name) });
  const deribit = openDeribit(optionsFor(urls.deribit, 'deribit'));
  const fearGreed = openFearGreed(optionsFor(urls.fearGreed, 'fear-greed'));
  const stablecoins = openStablecoins(optionsFor(urls.stablecoins, 'stablecoins'));
  const clients = [markets, deribit, fearGreed, stablecoins];
  return {
    venue,
    markets,
    streams: streamsOf(venue, urls),
    deribit,
    fearGreed,
    stablecoins,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
