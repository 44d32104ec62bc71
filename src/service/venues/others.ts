import { z } from 'zod';
import type { Archive } from '../archive/archive.ts';
import type { Memory } from '../exchanges/gate.ts';
import type { ExchangeUrls } from '../exchanges/urls.ts';
import { type Exchanges, openVenue, type SharedOptions, streamsOf } from './open-exchanges.ts';
import type { Venue, VenueClient } from './venue.ts';

/** A venue, its client and where its streams are; these are absent if the venue is simulated. */
export interface OpenVenue {
  readonly venue: Venue;
  readonly client: VenueClient;
  readonly streams?: Exchanges['streams'];
}

/** The venues other than the primary one. They are read for small responses only; long histories need a thread (thread.ts). */
export interface OtherVenues {
  /** Returns all venues except the primary one. A venue's client is opened when it is first needed. */
  except(primary: string | undefined): readonly OpenVenue[];
  close(): Promise<void>;
}

interface OtherVenuesOptions extends SharedOptions {
  /** All venues, including the primary one. */
  readonly venues: readonly Venue[];
  /** Where pauses and used-up limits are stored. */
  readonly memory: Pick<Archive, 'get' | 'put'>;
}

/** Archive key. It differs from the primary venue's key (thread.ts) because each side overwrites its whole document. */
const memoryKey = 'exchanges.others';
const states = z.record(z.string(), z.unknown());

export async function openOtherVenues(
  urls: ExchangeUrls,
  { venues, memory, ...options }: OtherVenuesOptions,
): Promise<OtherVenues> {
  const storedStates = { ...states.safeParse(await memory.get(memoryKey)).data };
  const memoryOf = (name: string): Memory => ({
    storedState: storedStates[name],
    store(state) {
      storedStates[name] = state;
      return memory.put(memoryKey, storedStates);
    },
  });
  const clients = new Map<string, VenueClient>();
  const clientOf = (venue: Venue): VenueClient =>
    clients.getOrInsertComputed(venue.name, (name) =>
      openVenue(venue, urls, { ...options, memory: memoryOf(name) }),
    );
  return {
    except: (primary) =>
      venues.flatMap((venue) =>
        venue.name === primary ? [] : [{ venue, client: clientOf(venue), streams: streamsOf(venue, urls) }],
      ),
    close: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
