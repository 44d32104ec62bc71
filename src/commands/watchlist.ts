import { z } from 'zod';
import { expandGroups } from '../alert/symbols.ts';
import { maxFollowedSymbols } from '../alert/watchlist.ts';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { symbols } from '../shell/input.ts';
import { change } from './kit/change.ts';
import { emptyWatchlist } from './kit/overview.ts';
import { ownWatchlist, watchlistRecord } from './kit/own-watchlist.ts';
import { fileFact } from './kit/set-by-file.ts';

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
    if (action !== 'clear' && symbols === undefined) {
      throw new UserError(
        action === 'remove'
          ? msg('Name what to remove, e.g. btc eth.')
          : msg('Name what to add, e.g. btc eth.'),
      );
    }
    const followed = await change(context, async (places, record) => {
      const before = await ownWatchlist({ caller, places });
      const named = expandGroups(symbols ?? [], { universe, followed: before });
      if (named.includes('*') && action !== 'remove') {
        throw new UserError(msg('A watchlist can’t hold all markets: name some, or top20 and the like.'));
      }
      const isRemoved = (symbol: string) =>
        action === 'clear' || named.includes('*') || named.includes(symbol);
      const after =
        action === undefined || action === 'add'
          ? [...new Set([...before, ...named])]
          : before.filter((symbol) => !isRemoved(symbol));
      if (after.length > maxFollowedSymbols) {
        throw new UserError(
          msg('A watchlist has at most {most, number} markets.', { most: maxFollowedSymbols }),
        );
      }
      await places.watchlist.set(receiver, after);
      record(watchlistRecord(after));
      return after;
    });
    return show(followed);
  },
});

const show = (followed: readonly string[], file?: string): Card => ({
  title: msg('Watchlist'),
  ...(followed.length === 0
    ? { summary: emptyWatchlist }
    : {
        summary: listOf(followed),
        facts: fileFact(file === undefined ? {} : { file }),
        actions: [
          { label: msg('Show'), command: 'market watchlist' },
          { label: msg('Subscribe'), command: 'subscribe watchlist' },
        ],
      }),
});
