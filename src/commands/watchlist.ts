import { z } from 'zod';
import { spellOut } from '../alert/symbols.ts';
import { change } from '../command/change.ts';
import { symbols } from '../command/input.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

const most = 100;

export default defineCommand({
  name: 'watchlist',
  description: 'The markets this place follows, which "market", "coin" and "subscribe" take as "watchlist"',
  input: z.object({
    action: z.enum(['add', 'remove', 'clear']).optional().describe('What to do; add where markets are named'),
    symbols: symbols.describe('Markets, or top20 and the like').optional(),
  }),
  async run({ action, symbols }, context) {
    const { store, caller, universe } = context;
    const { receiver } = caller;
    if (action === undefined && symbols === undefined) return show(await store.watchlist.of(receiver));
    if (action !== 'clear' && symbols === undefined)
      throw new UserError(`Name what to ${action}, e.g. btc eth.`);
    const followed = await change(context, async ({ watchlist }, record) => {
      const before = await watchlist.of(receiver);
      const named = spellOut(symbols ?? [], { universe, followed: before });
      if (named.includes('*') && action !== 'remove') {
        throw new UserError('Everything is no watchlist: name markets, or top20 and the like.');
      }
      const gone = (symbol: string) => action === 'clear' || named.includes('*') || named.includes(symbol);
      const after =
        action === undefined || action === 'add'
          ? [...new Set([...before, ...named])]
          : before.filter((symbol) => !gone(symbol));
      if (after.length > most) throw new UserError(`A watchlist has at most ${most} markets.`);
      await watchlist.set(receiver, after);
      record(`watchlist: ${after.join(', ') || 'empty'}`);
      return after;
    });
    return show(followed);
  },
});

const show = (followed: readonly string[]) => ({
  title: 'Watchlist',
  ...(followed.length === 0
    ? { summary: 'No market is followed here. "watchlist add btc eth" begins one.' }
    : {
        summary: followed.join(', '),
        actions: [
          { label: 'Show', command: 'market watchlist' },
          { label: 'Subscribe', command: 'subscribe all watchlist' },
        ],
      }),
});
