import { z } from 'zod';
import { spellOut } from '../alert/symbols.ts';
import { count, number, unknown, words } from '../card/format.ts';
import { caution } from '../command/failure.ts';
import { symbols, whole } from '../command/input.ts';
import { emptyWatchlist, overviewTable } from '../command/overview.ts';
import { UserError } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'market',
  description: 'The whole market: regime, mood, and what stands out most',
  input: z.object({
    limit: whole(1, 25).default(10).describe('How many markets to list'),
    symbols: symbols.describe('Only these markets: a list, watchlist or top20').optional(),
  }),
  async run({ limit, symbols }, { data, store, caller, universe, now, signal }) {
    const followed = await store.watchlist.of(caller.receiver);
    const listed = symbols === undefined ? ['*'] : spellOut(symbols, { universe, followed });
    if (listed.length === 0) throw new UserError(emptyWatchlist);
    const { coins: all, regime, fearGreed, timestamp } = await data.marketOverview({}, signal);
    const coins = all.filter(({ symbol }) => listed.includes('*') || listed.includes(symbol));
    const dataTime = Date.parse(timestamp);
    return {
      title: `Market: ${words(regime)}`,
      summary:
        coins.length === 0
          ? 'No market has enough data yet.'
          : 'The strongest deviation from neutral first. Master: 0 to 100, 50 is neutral, above is bullish.',
      facts: [
        {
          name: 'Fear and greed',
          value: fearGreed === undefined ? unknown : `${number(fearGreed, 0)} of 100`,
        },
        {
          name: 'Bullish',
          value: `${count(coins.filter(({ master }) => master > 50).length)} of ${count(coins.length)} markets`,
        },
        ...caution(dataTime, now, 15 * minute),
      ],
      table: overviewTable(coins.slice(0, limit)),
      dataTime,
    };
  },
});
