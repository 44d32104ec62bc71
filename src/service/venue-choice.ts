import { ConfigError } from '../runtime/errors.ts';
import type { MarketChoice } from './upstream.ts';
import { loadVenues, simulatedVenue, type Venue } from './venues/venue.ts';

export interface VenueChoice {
  readonly market: MarketChoice;
  /** A folder with a folder for each venue that a live market may be collected from; absent: ours. */
  readonly venues?: string;
  /** Names of those asked beside the primary one; absent: all. */
  readonly others?: readonly string[] | undefined;
}

/** The one that was chosen, or all that may be the one; those who simulate play one. */
export async function venuesOf({ market, venues: folder }: VenueChoice): Promise<readonly Venue[]> {
  const chosen = market.kind === 'live' ? (market.venue ?? null) : simulatedVenue;
  const venues = await loadVenues(folder);
  if (chosen === null) return venues;
  const venue = venues.find(({ name }) => name === chosen);
  if (venue !== undefined) return [venue];
  const names = ['auto', ...venues.map(({ name }) => name)].join(', ');
  throw new ConfigError([`data.venue: there is no venue "${chosen}"; give one of ${names}`]);
}

/** Those to ask beside the primary one. @throws ConfigError where one is named that there is not */
export async function othersOf({ others, venues: folder }: VenueChoice): Promise<readonly Venue[]> {
  const venues = await loadVenues(folder);
  const stranger = others?.find((name) => venues.every((venue) => venue.name !== name));
  if (stranger !== undefined) {
    const names = venues.map(({ name }) => name).join(', ');
    throw new ConfigError([
      `data.venues: there is no venue "${stranger}"; give all, none or some of ${names}`,
    ]);
  }
  return venues.filter(({ name }) => others?.includes(name) ?? true);
}
