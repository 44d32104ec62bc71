import { day, hour, minute } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { rowsOfEach } from '../exchanges/bounded.ts';
import type { OpenVenue } from '../venues/others.ts';

/** How far requests reach back before the last one, ms, because a settlement may be published late. */
const overlap = 10 * minute;
/** The longest outage whose settlements are still fetched, ms. */
const maxOutage = day;
const step = 5 * minute;
/** The most requests at a time, if each is about one symbol. */
const maxParallel = 4;

/**
 * Returns the settlements of a venue other than the primary one since the venue was last asked (`since`). If `since` is
 * undefined, the result reaches back far enough to have the last settlement of every symbol. A venue that takes one request
 * per symbol is asked only once in each interval.
 */
export async function fetchOtherVenueSettlements(
  { venue, client }: OpenVenue,
  {
    symbols,
    at,
    since,
  }: { readonly symbols: readonly string[]; readonly at: number; readonly since: number | undefined },
): Promise<SettledFunding[]> {
  const { funding } = venue.roles;
  if (funding === undefined) return [];
  const { every, together } = funding;
  const from = since === undefined ? at - every - hour : Math.max(at - maxOutage, since - overlap);
  const fetchSince = async (of: string | readonly string[]) =>
    (await client.funding?.(of, { from, to: at })) ?? [];
  if (together) {
    const tracked = new Set(symbols);
    return (await fetchSince(symbols)).filter(({ symbol }) => tracked.has(symbol));
  }
  const intervalNumber = (time: number) => Math.floor((time - step) / every);
  if (since !== undefined && intervalNumber(since) === intervalNumber(at)) return [];
  return rowsOfEach(symbols, { limit: maxParallel, ask: fetchSince });
}
