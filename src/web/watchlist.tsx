import { signal } from '@preact/signals';
import { readWatchlist, runLine } from './api.ts';
import { marketName } from './numbers.ts';
import { inAddress } from './route.ts';
import { msg } from './words.ts';

/** The markets that this chat follows. */
export const watched = signal<readonly string[] | undefined>(undefined);
/** As in the address: `watchlist` shows these alone. */
export const only = inAddress('only');

/** Follows a market in this chat, or no longer, as the command does. */
async function watch(symbol: string, isWatched: boolean): Promise<void> {
  const line = `watchlist ${isWatched ? 'remove' : 'add'} ${symbol}`;
  const { refused } = await runLine(line).catch(() => ({ refused: true }));
  if (!refused) watched.value = (await readWatchlist().catch(() => undefined)) ?? watched.value;
}

export function Star({ symbol }: { readonly symbol: string }) {
  const isWatched = watched.value?.includes(symbol) ?? false;
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isWatched}
      aria-label={msg('Watchlist: {market}', { market: marketName(symbol) })}
      onClick={() => void watch(symbol, isWatched)}
    >
      {isWatched ? '★' : '☆'}
    </button>
  );
}
