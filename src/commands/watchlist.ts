import { z } from 'zod';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import { editWatchlist } from '../places/watchlists.ts';
import { defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { symbols } from '../shell/input.ts';
import { fileFact } from './kit/file-column.ts';
import { emptyWatchlist } from './kit/overview.ts';

export default defineCommand({
  name: 'watchlist',
  topic: 'alerts',
  description: msg('The markets this chat follows; use them as "watchlist" in market, coin and subscribe'),
  takes: 'own',
  personal: true,
  input: z.object({
    action: z
      .enum(['add', 'remove', 'clear'])
      .optional()
      .describe('What to do (default: add, if you name markets)'),
    symbols: symbols.describe('Markets, or a group such as top20').optional(),
  }),
  async run({ action, symbols }, context) {
    const { store, caller, universe } = context;
    const { receiver } = caller;
    if (action === undefined && symbols === undefined) {
      const file = await store.watchlist.fileOf(receiver);
      return show(await store.watchlist.of(receiver), file);
    }
    if (action !== 'clear' && symbols === undefined)
      throw new UserError(
        action === 'remove'
          ? msg('Name what to remove, e.g. btc eth.')
          : msg('Name what to add, e.g. btc eth.'),
      );
    const change = { action: action ?? 'add', symbols: symbols ?? [], universe };
    return show(await editWatchlist(change, editingOf(context)));
  },
});

const show = (followed: readonly string[], file?: string): Card => ({
  title: msg('Watchlist'),
  ...(followed.length === 0
    ? { summary: emptyWatchlist }
    : {
        summary: listOf(followed),
        facts: fileFact({ file }),
        actions: [
          { label: msg('Show'), command: 'market watchlist' },
          { label: msg('Subscribe'), command: 'subscribe watchlist' },
        ],
      }),
});
