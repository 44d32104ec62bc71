import { signal } from '@preact/signals';
import { messageOf, runLine } from './api.ts';
import { marketName } from './numbers.ts';
import { inAddress } from './route.ts';
import { msg } from './words.ts';

/** The markets that this chat follows. */
export const watched = signal<readonly string[] | undefined>(undefined);
/** As in the address: `watchlist` shows these alone. */
export const only = inAddress('only');

/** Why the star that was pressed last has changed nothing. */
export const starFailure = signal<string | undefined>(undefined);

/** Follows a market in this chat, or no longer, as the command does. */
async function watch(symbol: string, isWatched: boolean): Promise<void> {
  starFailure.value = undefined;
  try {
    const { card, refused } = await runLine(`watchlist ${isWatched ? 'remove' : 'add'} ${symbol}`);
    const others = watched.value?.filter((each) => each !== symbol) ?? [];
    if (refused) starFailure.value = card.summary ?? card.title;
    else watched.value = isWatched ? others : [...others, symbol];
  } catch (error) {
    starFailure.value = messageOf(error);
  }
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
