import { minute } from '../../runtime/units.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import type { Listing, Venue, VenueClient } from '../venues/venue.ts';
import { type Measured, snapshotStep, type Tolerance } from './compare.ts';
import { Missed } from './missed.ts';
import type { AskOwn } from './published.ts';

export interface CheckedVenue {
  readonly venue: Venue;
  /** Display name. */
  readonly title: string;
  readonly client: VenueClient;
}

export interface CheckQuestion {
  readonly symbol: string;
  readonly ask: AskOwn;
  readonly checkedVenue: CheckedVenue;
  readonly archive: Pick<ArchiveReader, 'liquidations' | 'get' | 'last'>;
  /** Market ms. */
  readonly now: () => number;
  /** Market ms that a response may be under way. */
  readonly transit: number;
  /** Returns the venue's list. It has all symbols, so that those of one round share one request. */
  readonly listings: () => Promise<readonly Listing[]>;
}

export interface Check {
  readonly published: Measured;
  readonly asked: Measured;
  readonly late?: boolean;
  readonly tolerance: Tolerance;
  /** False: the difference is only shown, and is neither right nor wrong. */
  readonly judged?: boolean;
  /** The source of the answer, if it was not the venue. */
  readonly title?: string | undefined;
}

/** How long a newer value may still be on its way to us, ms: snapshots appear up to five minutes late. */
const publicationGrace = 15 * minute;

/**
 * Returns the venue's row for the time of the published value, or a newer row if the venue has had it for so long that
 * ours is late.
 * @throws Missed if the venue has no row for that time
 */
export function sameOrNewer(
  published: Measured,
  {
    rows,
    now,
    transit,
  }: { readonly rows: readonly Measured[]; readonly now: number; readonly transit: number },
): { readonly asked: Measured; readonly late: boolean } {
  const newer = rows.findLast(({ time }) => time > published.time && now - time > publicationGrace + transit);
  if (newer !== undefined) return { asked: newer, late: true };
  const asked = rows.find(({ time }) => time === published.time);
  if (asked === undefined)
    throw new Missed('NO_SUCH_ROW', `no row of ${new Date(published.time).toISOString()}`);
  return { asked, late: false };
}

/** Makes the answer of a check from a value that can be asked for only as it is at present. */
export const presentAnswer = (
  published: Measured,
  { value, now, transit }: { value: number; now: number; transit: number },
) => ({
  asked: { value, time: now },
  late: now - published.time > snapshotStep + publicationGrace + transit,
});

export const cannotBeAsked = ({ title }: CheckedVenue, what: string) =>
  new Missed('CANNOT_BE_ASKED', `${title} cannot be asked for ${what}`);
