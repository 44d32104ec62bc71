import { z } from 'zod';
import { day } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { Listing } from '../venues/venue.ts';
import { compareListings, keptListing, listingChange } from './compare-listings.ts';

/** How long changes are kept, ms. */
export const keepChangesFor = 30 * day;
/** The most changes that are kept. */
const maxChanges = 2_000;

const documentKey = 'listings';

const log = z.object({
  /** When the first list was seen, market ms. Earlier changes are not known. */
  begun: z.number(),
  /** Time of the last list that was believed, market ms. */
  at: z.number(),
  /** Oldest first. */
  changes: z.array(listingChange),
});
type ListingLog = z.output<typeof log>;

const storedListings = log.extend({
  markets: z.record(z.string(), keptListing),
});

/** Returns the changes that the venue has made to its perpetuals; undefined before its first list has been seen. */
export const listingLog = async (archive: Pick<Archive, 'get'>): Promise<ListingLog | undefined> =>
  log.safeParse(await archive.get(documentKey)).data;

/** Returns the symbols whose trading is known to have ended. */
export async function endedSymbols(archive: Pick<Archive, 'get'>): Promise<ReadonlySet<string>> {
  const { markets = {} } = storedListings.safeParse(await archive.get(documentKey)).data ?? {};
  return new Set(
    Object.entries(markets).flatMap(([symbol, { state }]) => (state === 'ENDED' ? [symbol] : [])),
  );
}

/**
 * Stores a list and the changes that it shows in one write, so that no change is lost or reported twice. If the list is not
 * believed, returns the reason.
 */
export async function storeListings(
  archive: Pick<Archive, 'get' | 'put'>,
  list: { readonly listings: readonly Listing[]; readonly now: number },
): Promise<string | undefined> {
  const { now } = list;
  const past = storedListings.safeParse(await archive.get(documentKey)).data;
  const compared = compareListings(past, list);
  if ('rejectReason' in compared) return compared.rejectReason;
  const changes = [...(past?.changes ?? []), ...compared.changes]
    .filter(({ time }) => now - time <= keepChangesFor)
    .slice(-maxChanges);
  const { at, markets } = compared.known;
  await archive.put(documentKey, { begun: past?.begun ?? now, at, changes, markets } satisfies z.input<
    typeof storedListings
  >);
  return undefined;
}
