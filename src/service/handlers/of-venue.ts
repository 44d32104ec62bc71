import { ApiError, InputError } from '../../runtime/errors.ts';
import { minute } from '../../runtime/units.ts';
import { marketAt } from '../archive/identity.ts';
import { venueProblems } from '../collectors/venues.ts';
import { type AskedVenue, type HandlerContext, requireSymbol } from './handler.ts';

/** What is kept of venues beside the primary one: in which series, and what of theirs it is made of. */
const besides = {
  marks: { series: 'venueMarks', roles: ['marks'], what: 'mark prices' },
  openInterest: {
    series: 'venueOpenInterest',
    roles: ['openInterest', 'pastOpenInterest'],
    what: 'open interest',
  },
  funding: { series: 'venueFunding', roles: ['funding'], what: 'settled funding' },
} as const;
type Kept = keyof typeof besides;

interface Rows<Series extends Kept> {
  readonly name: Series | (typeof besides)[Series]['series'];
  readonly symbol: string;
  readonly said: Partial<Pick<AskedVenue, 'title'> & { readonly venue: string }>;
}

interface Question {
  readonly path: string;
  readonly symbol: string;
  readonly venue: string | undefined;
}

/** @throws InputError where it is none of those asked */
export function venueNamed(
  name: string | undefined,
  { path, context }: { readonly path: string; readonly context: HandlerContext },
): AskedVenue {
  const { venues = [] } = context.state;
  const [primary] = venues;
  if (primary === undefined) throw new ApiError(path, 'not_offered', 'no venue is known here');
  const venue = name === undefined ? primary : venues.find((each) => each.name === name);
  if (venue === undefined)
    throw new InputError(`venue must be one of ${venues.map((each) => each.name).join(', ')}`);
  return venue;
}

/**
 * Where the rows of a symbol lie, the primary venue's where none is named, and what an answer made of them says of whose they
 * are. Another venue's are never made up for by the primary's.
 * @throws InputError, ApiError where none of that venue are kept
 */
export async function rowsOf<Series extends Kept>(
  series: Series,
  { question, context }: { readonly question: Question; readonly context: HandlerContext },
): Promise<Rows<Series>> {
  const { path, symbol, venue: asked } = question;
  requireSymbol(symbol, context);
  if (asked === undefined) return { name: series, symbol, said: {} };
  const venue = venueNamed(asked, { path, context });
  const said = { venue: venue.name, title: venue.title };
  if (venue === context.state.venues?.[0]) return { name: series, symbol, said };
  const { roles, what } = besides[series];
  const name: (typeof besides)[Series]['series'] = besides[series].series;
  const market = marketAt(venue.name, symbol);
  const [newest] = await context.archive.last(name, { symbol: market, count: 1, to: context.now });
  if (newest !== undefined) return { name, symbol: market, said };
  if (!roles.some((role) => role in venue.roles))
    throw new ApiError(path, 'not_offered', `${venue.title} tells no ${what}`);
  const problem = (await venueProblems(context.archive))[venue.name];
  if (problem === undefined) throw new InputError(`${venue.title} has told no ${what} of ${symbol}`);
  throw new ApiError(path, 'server_error', `${venue.title} does not answer: ${problem}`, {
    retryAfter: minute,
  });
}
