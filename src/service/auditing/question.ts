import { minute } from '../../runtime/units.ts';
import type { ArchiveReader } from '../archive/archive.ts';
import type { PastTape } from '../exchanges/tape.ts';
import type { Venue, VenueClient } from '../venues/venue.ts';
import type { Measured, Tolerance } from './compare.ts';
import { Missed } from './missed.ts';
import type { AskOwn } from './published.ts';

/** Who is asked. */
export interface AuditedVenue {
  readonly venue: Venue;
  /** As people read it. */
  readonly title: string;
  readonly client: VenueClient;
  /** The simulator's alone. */
  readonly tape?: PastTape | undefined;
}

export interface AuditQuestion {
  readonly symbol: string;
  readonly ask: AskOwn;
  readonly of: AuditedVenue;
  readonly archive: Pick<ArchiveReader, 'liquidations' | 'get' | 'last'>;
  /** Market ms. */
  readonly now: () => number;
  /** Market ms that an answer may be under way. */
  readonly transit: number;
}

export interface Check {
  readonly published: Measured;
  readonly asked: Measured;
  readonly late?: boolean;
  readonly tolerance: Tolerance;
  /** False: what it comes to is shown, and is neither right nor wrong. */
  readonly judged?: boolean;
  /** Who gave the answer, where it was not the venue. */
  readonly title?: string;
}

export const step = 5 * minute;
/** Until then a newer value may still be on its way to us: snapshots appear up to five minutes late. */
const grace = 15 * minute;

/**
 * Of the venue's rows the one of our moment, or its newest where it has had newer ones for so long that ours is late.
 * @throws Missed where it has none of our moment
 */
export function sameOrNewer(
  published: Measured,
  {
    rows,
    now,
    transit,
  }: { readonly rows: readonly Measured[]; readonly now: number; readonly transit: number },
): { readonly asked: Measured; readonly late: boolean } {
  const newer = rows.findLast(({ time }) => time > published.time && now - time > grace + transit);
  if (newer !== undefined) return { asked: newer, late: true };
  const asked = rows.find(({ time }) => time === published.time);
  if (asked === undefined)
    throw new Missed('NO_SUCH_ROW', `no row of ${new Date(published.time).toISOString()}`);
  return { asked, late: false };
}

/** What can be asked as it stands now alone. */
export const present = (
  published: Measured,
  { value, now, transit }: { value: number; now: number; transit: number },
) => ({
  asked: { value, time: now },
  late: now - published.time > step + grace + transit,
});

export const lacks = ({ title }: AuditedVenue, what: string) =>
  new Missed('CANNOT_BE_ASKED', `${title} cannot be asked for ${what}`);
