import { z } from 'zod';
import { day } from '../runtime/units.ts';
import { compareListings, listingChanges } from './analytics/listings.ts';
import type { Archive } from './archive/archive.ts';
import type { Listing } from './venues/venue.ts';

/** Changes are kept so long, and never more of them than this. */
export const changesKept = 30 * day;
const mostChanges = 2_000;

const document = 'listings';

const log = z.object({
  /** When the first list was seen: what changed before is not known. */
  begun: z.number(),
  /** From the last list that was taken as true. */
  at: z.number(),
  /** Oldest first. */
  changes: z.array(
    z.object({
      time: z.number(),
      symbol: z.string(),
      change: z.enum(listingChanges),
      effective: z.number().optional(),
      price: z.number().optional(),
      volume: z.number().optional(),
      hours: z.int().optional(),
      hoursBefore: z.int().optional(),
      from: z.string().optional(),
    }),
  ),
});
export type ListingLog = z.output<typeof log>;

const kept = log.extend({
  markets: z.record(
    z.string(),
    z.object({
      state: z.enum(['PENDING', 'TRADING', 'ENDED']),
      ends: z.number().optional(),
      hours: z.int().optional(),
      number: z.int().optional(),
      missing: z.number().optional(),
    }),
  ),
});

/** What the venue has changed about its perpetuals; undefined before its first list was seen. */
export const listingLog = async (archive: Pick<Archive, 'get'>): Promise<ListingLog | undefined> =>
  log.safeParse(await archive.get(document)).data;

/**
 * Stores a list and what it changes in one write, so that no change is lost or told twice. Returns why the list is not
 * believed, where it is not.
 */
export async function keepListings(
  archive: Pick<Archive, 'get' | 'put'>,
  look: { readonly listings: readonly Listing[]; readonly now: number },
): Promise<string | undefined> {
  const { now } = look;
  const past = kept.safeParse(await archive.get(document)).data;
  const compared = compareListings(past, look);
  if ('odd' in compared) return compared.odd;
  const changes = [...(past?.changes ?? []), ...compared.changes]
    .filter(({ time }) => now - time <= changesKept)
    .slice(-mostChanges);
  const { at, markets } = compared.known;
  await archive.put(document, { begun: past?.begun ?? now, at, changes, markets } satisfies z.input<
    typeof kept
  >);
  return undefined;
}
