import { ConfigError } from '../../runtime/errors.ts';
import { loadVenues, simulatedVenue, type Venue } from '../venues/venue.ts';
import type { MarketChoice } from './upstream.ts';

export interface VenueChoice {
  readonly market: MarketChoice;
  /** A folder that contains a folder for each venue that a live market may be collected from; absent: the built-in one. */
  readonly venues?: string;
  /** Names of the venues to ask in addition to the primary one; absent: all. */
  readonly others?: readonly string[] | undefined;
}

/** Returns the venues that may become the primary one: the chosen venue, or all. A simulated market always uses one venue. */
export async function venuesOf({ market, venues: folder }: VenueChoice): Promise<readonly Venue[]> {
  const chosen = market.kind === 'live' ? (market.venue ?? null) : simulatedVenue;
  const venues = await loadVenues(folder);
  if (chosen === null) return venues;
  const venue = venues.find(({ name }) => name === chosen);
  if (venue !== undefined) return [venue];
  const names = ['auto', ...venues.map(({ name }) => name)].join(', ');
  throw new ConfigError([`data.venue: there is no venue "${chosen}"; give one of ${names}`]);
}

/** Returns the venues to ask in addition to the primary one. @throws ConfigError if a named venue does not exist */
export async function othersOf({ others, venues: folder }: VenueChoice): Promise<readonly Venue[]> {
  const venues = await loadVenues(folder);
  const unknownVenue = others?.find((name) => venues.every((venue) => venue.name !== name));
  if (unknownVenue !== undefined) {
    const names = venues.map(({ name }) => name).join(', ');
    throw new ConfigError([
      `data.venues: there is no venue "${unknownVenue}"; give all, none or some of ${names}`,
    ]);
  }
  return venues.filter(({ name }) => others?.includes(name) ?? true);
}
