import { expandGroups, isGroup, watchlist } from '../alert/symbols.ts';
import { UserError } from '../language/errors.ts';
import { marketName } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import type { Author, PlaceReader, PlaceStore } from '../store/ports.ts';
import { type Editing, setByFile } from './editing.ts';
import { limits } from './limits.ts';
import { stillLoading } from './names.ts';

interface WatchlistChange {
  readonly action: 'add' | 'remove' | 'clear';
  /** Markets and groups. */
  readonly symbols: readonly string[];
  /** Tracked symbols, the largest volume first. */
  readonly universe: readonly string[];
}

/** Changes the place's watchlist. Returns its symbols. @throws UserError */
export const editWatchlist = (
  { action, symbols, universe }: WatchlistChange,
  { store, author }: Editing,
): Promise<readonly string[]> =>
  store.change(author, async (places, audit) => {
    const ranked = symbols.find((symbol) => isGroup(symbol) && symbol !== '*' && symbol !== watchlist);
    if (ranked !== undefined && universe.length === 0) throw stillLoading(ranked);
    const before = await requireOwnWatchlist(places, author);
    const named = expandGroups(symbols, universe, before);
    if (named.includes('*') && action === 'add')
      throw new UserError(msg('A watchlist can’t hold all markets: name some, or top20 and the like.'));
    const isRemoved = (symbol: string) => action === 'clear' || named.includes('*') || named.includes(symbol);
    const after = action === 'add' ? [...before, ...named] : before.filter((symbol) => !isRemoved(symbol));
    // Nothing was changed that the change log could name.
    if (new Set(after).size === before.length) return before;
    return putWatchlist(after, author, { places, audit });
  });

/** Within a change: replaces the place's watchlist. Returns its symbols, each once. @throws UserError */
export async function putWatchlist(
  given: readonly string[],
  { receiver }: Pick<Author, 'receiver'>,
  { places, audit }: { readonly places: PlaceStore; audit(what: Text): void },
): Promise<readonly string[]> {
  const symbols = [...new Set(given)];
  const most = limits.watchlist.chat;
  if (symbols.length > most)
    throw new UserError(msg('A watchlist has at most {most, number} markets.', { most }), { code: 'limit' });
  await places.watchlist.set(receiver, symbols);
  audit(watchlistAudit(symbols));
  return symbols;
}

/** Returns the place's watchlist, to be changed. Throws UserError if a file has set it. */
export async function requireOwnWatchlist(
  { watchlist }: Pick<PlaceReader, 'watchlist'>,
  { receiver }: Pick<Author, 'receiver'>,
): Promise<readonly string[]> {
  const file = await watchlist.fileOf(receiver);
  if (file !== undefined) throw setByFile(msg('The watchlist is set by {file}', { file }));
  return watchlist.of(receiver);
}

/** Describes a watchlist for the audit of the place. */
export const watchlistAudit = (symbols: readonly string[]): Text =>
  symbols.length === 0
    ? msg('watchlist: empty')
    : msg('watchlist: {symbols}', { symbols: listOf(symbols.map(marketName)) });
