import { z } from 'zod';
import { expandGroups } from '../alert/symbols.ts';
import { fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { UserError } from '../language/errors.ts';
import { count, marketName, number, signed, unknown, words } from '../language/format.ts';
import { join, listOf, msg, msgIn, type Text } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbols, wholeNumber } from '../shell/input.ts';
import { emptyWatchlist, overviewTable } from './kit/overview.ts';

export default defineCommand({
  name: 'market',
  description: msg('The whole market: regime, sentiment, strongest movers and what stands out most'),
  input: z.object({
    limit: wholeNumber(1, 25).default(10).describe('How many markets to list'),
    symbols: symbols.describe('Only these markets: a list, watchlist or top20').optional(),
  }),
  async run({ limit, symbols }, { data, store, caller, universe, now, signal }) {
    const followed = await store.watchlist.of(caller.receiver);
    const shownSymbols = symbols === undefined ? ['*'] : expandGroups(symbols, { universe, followed });
    if (shownSymbols.length === 0) throw new UserError(emptyWatchlist);
    const [{ coins: all, fearGreed, timestamp }, regime, hours] = await Promise.all([
      data.marketOverview({}, signal),
      awaitPart(msg('The regime'), data.regimeProbabilities({}, signal)),
      fundingHours(data, signal),
    ]);
    const coins = all.filter(({ symbol }) => shownSymbols.includes('*') || shownSymbols.includes(symbol));
    const dataTime = Date.parse(timestamp);
    return {
      title:
        regime.value === undefined
          ? msg('Market')
          : msg('Market: {regime}', { regime: words(regime.value.current.state) }),
      summary:
        coins.length === 0
          ? msg('No market has enough data yet.')
          : msg('Strongest signals first. Master: 0–100, 50 is neutral, above is bullish.'),
      facts: [
        {
          name: msg('Fear and greed'),
          value: fearGreed === undefined ? unknown : msg('{value} of 100', { value: number(fearGreed, 0) }),
        },
        {
          name: msg('Bullish'),
          value: msg('{bullish} of {all} markets', {
            bullish: count(coins.filter(({ master }) => master > 50).length),
            all: count(coins.length),
          }),
        },
        { name: msg('Strongest up'), value: movers(coins, 1) },
        { name: msg('Strongest down'), value: movers(coins, -1) },
        ...regime.missing,
        ...staleDataFacts(dataTime, { now, limit: 15 * minute }),
      ],
      table: overviewTable(coins.slice(0, limit), hours),
      dataTime,
    };
  },
});

/** Lists the markets with the strongest signals. Price changes cannot be used: the overview has no past prices. */
function movers(coins: EndpointAnswer<'marketOverview'>['coins'], direction: 1 | -1): Text {
  const strongest = coins
    // A signal that is shown as 0.00 points nowhere.
    .filter(({ signal }) => Math.round(signal * 100) * direction > 0)
    .sort((a, b) => (b.signal - a.signal) * direction)
    .slice(0, 3);
  return strongest.length === 0
    ? msgIn('market', 'none')
    : listOf(strongest.map(({ symbol, signal }) => join([marketName(symbol), signed(signal)], ' ')));
}
