import { day, hour, minute, second } from '../../runtime/units.ts';
import type { SettledFunding } from '../archive/archive.ts';
import { isRefusal } from '../exchanges/failure.ts';
import type { OpenVenue } from '../venues/others.ts';
import type { PageRequest, VenueClient } from '../venues/venue.ts';
import { eachBounded } from './bounded.ts';

/**
 * A page may hold more than one answer, of hourly settlements and of all symbols: the rest is asked for again.
 * @param rows of one answer at most
 */
export async function settledIn(
  page: PageRequest,
  {
    of,
    client,
    rows: whole,
  }: {
    readonly of: string | readonly string[];
    readonly client: Pick<VenueClient, 'funding'>;
    readonly rows: number;
  },
): Promise<SettledFunding[]> {
  const all: SettledFunding[] = [];
  let from = page.from;
  for (;;) {
    const rows = (await client.funding?.(of, { ...page, from })) ?? [];
    all.push(...rows);
    const last = rows.at(-1);
    // Many share a moment: it is asked for again, unless it alone fills the answer.
    if (rows.length < whole || last === undefined || last.time < from) return all;
    from = last.time > from ? last.time : last.time + second;
  }
}

/** A settlement may be published late. */
const overlap = 10 * minute;
/** What is missed by a longer outage stays missed. */
const longest = day;
const step = 5 * minute;
/** Of questions about one symbol each. */
const parallel = 4;

/**
 * What a venue beside the primary one has settled since it was last asked, `since`; undefined: so far back that the last
 * settlement of every symbol is there. One that answers for a symbol at a time is asked once each interval alone.
 */
export async function settledBeside(
  { venue, client }: OpenVenue,
  {
    symbols,
    at,
    since,
  }: { readonly symbols: readonly string[]; readonly at: number; readonly since: number | undefined },
): Promise<SettledFunding[]> {
  const { funding } = venue.roles;
  if (funding === undefined) return [];
  const { every, rows, together } = funding;
  const from = since === undefined ? at - every - hour : Math.max(at - longest, since - overlap);
  const ask = (of: string | readonly string[]) => settledIn({ from, to: at }, { of, client, rows });
  if (together) {
    const tracked = new Set(symbols);
    return (await ask(symbols)).filter(({ symbol }) => tracked.has(symbol));
  }
  const interval = (time: number) => Math.floor((time - step) / every);
  if (since !== undefined && interval(since) === interval(at)) return [];
  const all: SettledFunding[] = [];
  const failed = await eachBounded(symbols, {
    limit: parallel,
    ends: isRefusal,
    work: async (symbol) => void all.push(...(await ask(symbol))),
  });
  // A symbol may not be traded there; where none is told, or it refuses, it is the venue that fails.
  const [first] = failed;
  if (first !== undefined && (all.length === 0 || isRefusal(first.error))) throw first.error;
  return all;
}
