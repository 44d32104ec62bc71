import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import type { Archive } from '../archive/archive.ts';
import { openVenue } from '../exchanges/exchanges.ts';
import type { Memory } from '../exchanges/gate.ts';
import type { OnOdd } from '../exchanges/rows.ts';
import type { Transport } from '../exchanges/transport.ts';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import type { Venue, VenueClient } from './venue.ts';

/** A venue, and its client. */
export interface OpenVenue {
  readonly venue: Venue;
  readonly client: VenueClient;
}

/** The venues beside the primary one, for what a few small answers hold: a history is read in a thread (thread.ts). */
export interface OtherVenues {
  /** All but that one; each is opened when it is first wanted. */
  beside(primary: string | undefined): readonly OpenVenue[];
  close(): Promise<void>;
}

export interface OtherVenuesOptions {
  /** Those there are, the primary one among them. */
  readonly venues: readonly Venue[];
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  /** Where rests and spent limits are kept. */
  readonly memory: Pick<Archive, 'get' | 'put'>;
  readonly onOdd?: OnOdd;
  /** Absent: the network. */
  readonly transport?: Transport;
}

/** Not the primary's (thread.ts): each writes its own whole. */
const memoryKey = 'exchanges.others';
const states = z.record(z.string(), z.unknown());

/** A simulator plays the venues that it has an address for, and no others. */
export const playedBy = (venues: readonly Venue[], urls: ExchangeUrls): readonly Venue[] =>
  urls.tape === undefined ? venues : venues.filter(({ name }) => name in urls.venues);

export async function openOtherVenues(
  urls: ExchangeUrls,
  { venues, memory, ...options }: OtherVenuesOptions,
): Promise<OtherVenues> {
  const kept = { ...states.safeParse(await memory.get(memoryKey)).data };
  const memoryOf = (name: string): Memory => ({
    recalled: kept[name],
    keep(state) {
      kept[name] = state;
      return memory.put(memoryKey, kept);
    },
  });
  const there = playedBy(venues, urls);
  const clients = new Map<string, VenueClient>();
  const clientOf = (venue: Venue): VenueClient => {
    const client =
      clients.get(venue.name) ?? openVenue(venue, { ...options, urls, memory: memoryOf(venue.name) });
    clients.set(venue.name, client);
    return client;
  };
  return {
    beside: (primary) =>
      there.flatMap((venue) => (venue.name === primary ? [] : [{ venue, client: clientOf(venue) }])),
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
