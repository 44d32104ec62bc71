import { z } from 'zod';
import type { EndpointAnswer } from '../../contract/index.ts';
import { didYouMean, quoted, rank } from '../../language/closest.ts';
import { UserError } from '../../language/errors.ts';
import { marketName } from '../../language/format.ts';
import { join, listOf, msg, type Text } from '../../language/text.ts';
import { ApiError } from '../../runtime/errors.ts';
import type { CommandContext } from '../../shell/command.ts';

/** An exchange, by its short name or its title. */
export const venue = z
  .string()
  .trim()
  .regex(/^\p{L}/u)
  .meta({ late: true })
  .describe('Exchange, e.g. okx (default: the main one); “venues” lists them')
  .optional();

export type NamedVenue = Pick<EndpointAnswer<'venues'>['data'][number], 'venue' | 'title' | 'primary'>;

/** Finds the named exchange among those that the data service collects from. @throws UserError, ApiError */
export async function findVenue(
  text: string,
  { data, signal }: Pick<CommandContext, 'data' | 'signal'>,
): Promise<NamedVenue> {
  const { data: all } = await data.venues({}, signal);
  const typed = text.toLowerCase();
  const found = all.find((each) => each.venue === typed || each.title.toLowerCase() === typed);
  if (found !== undefined) return found;
  const names = all.map((each) => each.venue);
  const hint = msg('These are asked: {names}.', { names: listOf(names) });
  throw new UserError(join([didYouMean(rank(typed, names, 2)), hint], ' '), {
    title: msg('Unknown exchange {text}', { text: quoted(text) }),
  });
}

/** Awaits what an exchange says about a market. @throws UserError if the exchange has no data of it; ApiError */
export async function awaitVenueAnswer<Answer>(
  { title }: NamedVenue,
  { symbol, answer }: { readonly symbol: string; readonly answer: Promise<Answer> },
): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'invalid_request') throw error;
    throw new UserError(msg('It may not be traded there.'), {
      title: msg('{venue} has told nothing of {market}', { venue: title, market: marketName(symbol) }),
      cause: error,
    });
  }
}

/** Adds the exchange to a name: `Basis of BTC at OKX`. Returns the name alone if no exchange was named. */
export const atVenue = (name: Text, at: NamedVenue | undefined): Text =>
  at === undefined ? name : msg('{what} at {venue}', { what: name, venue: at.title });
