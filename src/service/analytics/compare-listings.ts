import { z } from 'zod';
import { day, hour } from '../../runtime/units.ts';
import type { Listing } from '../venues/venue.ts';

const listingChanges = [
  'ANNOUNCED',
  'LISTED',
  'RENAMED',
  'DELISTING',
  'RETAINED',
  'DELISTED',
  'INTERVAL',
] as const;

/** A change that a venue has made to one perpetual. Times are market ms. */
export const listingChange = z.object({
  time: z.number(),
  symbol: z.string(),
  change: z.enum(listingChanges),
  /** When trading begins or ends, where the venue says it. */
  effective: z.number().optional(),
  /** The last price in quote units, where there is one yet. */
  price: z.number().optional(),
  /** The volume of the last 24 h, in quote units. */
  volume: z.number().optional(),
  /** Hours between two settlements, after and before the change. */
  hours: z.int().optional(),
  hoursBefore: z.int().optional(),
  /** The perpetual's former name. */
  from: z.string().optional(),
});
export type ListingChange = z.output<typeof listingChange>;

/** What is known of a perpetual. */
export const keptListing = z.object({
  state: z.enum(['PENDING', 'TRADING', 'ENDED']),
  ends: z.number().optional(),
  hours: z.int().optional(),
  number: z.int().optional(),
  /** When the venue's list was first found to lack this perpetual, ms. */
  missing: z.number().optional(),
});
type KnownListing = z.output<typeof keptListing>;

export interface KnownListings {
  /** Time of the last list that was believed, ms. */
  readonly at: number;
  readonly markets: Readonly<Record<string, KnownListing>>;
}

/**
 * After a longer gap between two lists the comparison starts afresh. A perpetual whose trading began longer ago than this
 * is not reported as new.
 */
const maxListGap = 7 * day;
/** A list may lack a market now and then: a market counts as delisted once all lists for this long have lacked it. */
const delistAfter = 2 * hour;
/** The most that a venue can believably change between two lists: this share of its list, or this number of markets. */
const believable = { share: 0.2, few: 10 } as const;

type ListComparison =
  | { readonly known: KnownListings; readonly changes: readonly ListingChange[] }
  | { readonly rejectReason: string };

/**
 * Compares a venue's list with what is `known`, which is undefined for the first list; the first list gives no changes.
 * A list that differs too much from what is known is not believed: the result only says why (`rejectReason`).
 */
export function compareListings(
  known: KnownListings | undefined,
  { listings, now }: { readonly listings: readonly Listing[]; readonly now: number },
): ListComparison {
  const rows = new Map(listings.map((listing) => [listing.symbol, listing]));
  if (!listings.some(({ state }) => state === undefined))
    return { rejectReason: 'its list names no perpetual' };
  const past = known !== undefined && now - known.at <= maxListGap ? known.markets : undefined;
  const markets: Record<string, KnownListing> = {};
  const changes: ListingChange[] = [];
  const renamed = past === undefined ? new Map<string, string>() : findRenamings(past, rows);
  for (const row of rows.values()) {
    const from = renamed.get(row.symbol);
    const before = past?.[from ?? row.symbol];
    markets[row.symbol] = knownListing(row, before);
    if (past !== undefined) changes.push(...changesOf(row, { before, from, now }));
  }
  const oldNames = new Set(renamed.values());
  const missingMarkets = Object.entries(past ?? {}).filter(
    ([symbol]) => !rows.has(symbol) && !oldNames.has(symbol),
  );
  for (const [symbol, market] of missingMarkets) {
    const { missing = now, state } = market;
    const isDelisted = now - missing >= delistAfter;
    if (isDelisted && state !== 'ENDED') changes.push({ time: now, symbol, change: 'DELISTED' });
    if (now - missing < maxListGap)
      markets[symbol] = { ...market, missing, ...(isDelisted && { state: 'ENDED' }) };
  }
  const maxChanges = Math.max(believable.few, Object.keys(past ?? {}).length * believable.share);
  const lostCount = missingMarkets.filter(([, { state }]) => state !== 'ENDED').length;
  if (lostCount > maxChanges) return { rejectReason: `its list lacks ${lostCount} perpetuals that it had` };
  if (changes.length > maxChanges) return { rejectReason: `its list says ${changes.length} changes at once` };
  return { known: { at: now, markets }, changes };
}

/** Returns what is known of a listing now. A pause in trading, or an interval that the venue omits, is no change. */
function knownListing(
  { state, ends, fundingHours, number }: Listing,
  before: KnownListing | undefined,
): KnownListing {
  const hours = fundingHours ?? before?.hours;
  const paused = state === 'PENDING' && before?.state === 'TRADING';
  return {
    state: paused ? 'TRADING' : (state ?? 'TRADING'),
    ends,
    hours,
    number,
  };
}

/** Finds perpetuals that kept their number under another name. Returns each new name with the old one. */
function findRenamings(
  past: KnownListings['markets'],
  rows: ReadonlyMap<string, Listing>,
): ReadonlyMap<string, string> {
  const symbolByVacantNumber = new Map(
    Object.entries(past).flatMap(([symbol, { number }]) =>
      number === undefined || rows.has(symbol) ? [] : [[number, symbol] as const],
    ),
  );
  return new Map(
    [...rows.values()].flatMap(({ symbol, number }) => {
      const from = number === undefined || symbol in past ? undefined : symbolByVacantNumber.get(number);
      return from === undefined ? [] : [[symbol, from] as const];
    }),
  );
}

function changesOf(
  row: Listing,
  {
    before,
    from,
    now,
  }: {
    readonly before: KnownListing | undefined;
    readonly from: string | undefined;
    readonly now: number;
  },
): readonly ListingChange[] {
  const { symbol, listed, ends, price, volume, fundingHours: hours } = row;
  const { state } = knownListing(row, before);
  const changeRow = (change: ListingChange['change'], more: Partial<ListingChange> = {}): ListingChange => ({
    time: now,
    symbol,
    change,
    ...more,
  });
  const isRecent = listed > 0 && now - listed <= maxListGap;
  const startDetails = {
    ...(isRecent && { effective: listed }),
    price,
    ...(volume > 0 && { volume }),
    hours,
  };
  const isNew = before === undefined ? listed === 0 || isRecent : before.state !== state;
  const isBeginning = from === undefined && state !== 'ENDED' && isNew;
  const isEnding = before !== undefined && before.state !== 'ENDED' && state === 'ENDED';
  const isEndPlanned = ends !== undefined && ends > now && state === 'TRADING';
  const wasEndPlanned = before?.ends !== undefined && before.ends > now && before.state === 'TRADING';
  return [
    ...(from === undefined ? [] : [changeRow('RENAMED', { ...startDetails, from })]),
    ...(isBeginning ? [changeRow(state === 'PENDING' ? 'ANNOUNCED' : 'LISTED', startDetails)] : []),
    ...(isEnding
      ? [changeRow('DELISTED', ends !== undefined && ends <= now ? { effective: ends } : {})]
      : []),
    ...(isEndPlanned && before !== undefined && before.ends !== ends
      ? [changeRow('DELISTING', { effective: ends })]
      : []),
    ...(wasEndPlanned && ends === undefined && state === 'TRADING' ? [changeRow('RETAINED')] : []),
    ...(state === 'TRADING' && before?.hours !== undefined && hours !== undefined && hours !== before.hours
      ? [changeRow('INTERVAL', { hours, hoursBefore: before.hours })]
      : []),
  ];
}
