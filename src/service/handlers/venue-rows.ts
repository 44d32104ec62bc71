import { ApiError, InputError } from '../../runtime/errors.ts';
import { minute } from '../../runtime/units.ts';
import { marketAt } from '../archive/identity.ts';
import { venueProblems } from '../collecting/collectors/venues.ts';
import type { AskedVenue, HandlerContext } from './handler.ts';

/** The data of other venues than the primary one: the series that holds it, the venue's roles that supply it, its name. */
const otherVenueData = {
  marks: { series: 'venueMarks', roles: ['marks'], what: 'mark prices' },
  openInterest: {
    series: 'venueOpenInterest',
    roles: ['openInterest', 'pastOpenInterest'],
    what: 'open interest',
  },
  funding: { series: 'venueFunding', roles: ['funding'], what: 'settled funding' },
} as const;
type VenueSeries = keyof typeof otherVenueData;

interface Rows<Series extends VenueSeries> {
  readonly name: Series | (typeof otherVenueData)[Series]['series'];
  readonly symbol: string;
  readonly venueFields: Partial<Pick<AskedVenue, 'title'> & { readonly venue: string }>;
}

interface Question {
  readonly path: string;
  readonly symbol: string;
  readonly venue: string | undefined;
}

/** Returns the venue of this name; without a name the primary venue. @throws InputError if no venue has this name */
export function findVenue(name: string | undefined, path: string, context: HandlerContext): AskedVenue {
  const { venues = [] } = context.state;
  const [primary] = venues;
  if (primary === undefined) throw new ApiError(path, 'not_offered', 'no venue is known here');
  const venue = name === undefined ? primary : venues.find((each) => each.name === name);
  if (venue === undefined)
    throw new InputError(`venue must be one of ${venues.map((each) => each.name).join(', ')}`);
  return venue;
}

/**
 * Returns the series and the key under which the archive has the rows of a symbol at a venue (without a name the primary
 * venue), and the fields by which a response names the venue. Missing rows of another venue are never replaced by those of
 * the primary venue.
 * @throws InputError, ApiError if the archive has no rows of that venue
 */
export async function locateRows<Series extends VenueSeries>(
  series: Series,
  question: Question,
  context: HandlerContext,
): Promise<Rows<Series>> {
  const { path, symbol, venue: asked } = question;
  if (asked === undefined) return { name: series, symbol, venueFields: {} };
  const venue = findVenue(asked, path, context);
  const venueFields = { venue: venue.name, title: venue.title };
  if (venue === context.state.venues?.[0]) return { name: series, symbol, venueFields };
  const { roles, what } = otherVenueData[series];
  const name: (typeof otherVenueData)[Series]['series'] = otherVenueData[series].series;
  const market = marketAt(venue.name, symbol);
  const [newest] = await context.archive.last(name, { symbol: market, count: 1, to: context.now });
  if (newest !== undefined) return { name, symbol: market, venueFields };
  if (!roles.some((role) => role in venue.roles))
    throw new ApiError(path, 'not_offered', `${venue.title} tells no ${what}`);
  await requireAnswering(venue, path, context);
  throw new InputError(`${venue.title} has told no ${what} of ${symbol}`);
}

/** @throws ApiError if the venue cannot be read */
export async function requireAnswering(
  { name, title }: AskedVenue,
  path: string,
  context: HandlerContext,
): Promise<void> {
  const problem = (await venueProblems(context.archive))[name];
  if (problem === undefined) return;
  throw new ApiError(path, 'server_error', `${title} does not answer: ${problem}`, { retryAfter: minute });
}
