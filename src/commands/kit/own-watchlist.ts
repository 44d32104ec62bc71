import { UserError } from '../../language/errors.ts';
import { marketName } from '../../language/format.ts';
import { listOf, msg, type Text } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import { changedByOperator } from './set-by-file.ts';

type Whose = Pick<CommandContext, 'caller'> & { readonly places: Pick<CommandContext['store'], 'watchlist'> };

/** Returns the place's watchlist, to be changed. Throws UserError if a file has set the watchlist. */
export async function ownWatchlist({ caller: { receiver }, places }: Whose): Promise<readonly string[]> {
  const file = await places.watchlist.fileOf(receiver);
  if (file !== undefined)
    throw new UserError(changedByOperator, { title: msg('The watchlist is set by {file}', { file }) });
  return places.watchlist.of(receiver);
}

/** Describes a watchlist for the audit of the place. */
export const watchlistRecord = (symbols: readonly string[]): Text =>
  symbols.length === 0
    ? msg('watchlist: empty')
    : msg('watchlist: {symbols}', { symbols: listOf(symbols.map(marketName)) });
