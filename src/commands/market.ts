import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import { expandGroups } from '../alert/symbols.ts';
import { fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { UserError } from '../language/errors.ts';
import { count, marketName, number, percent, share, unknown, words } from '../language/format.ts';
import { join, listOf, msg, msgIn, type Text } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitOptionalPart, awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbols, wholeNumber } from '../shell/input.ts';
import { type DayChanges, dayChanges, emptyWatchlist, overviewTable, regimeWords } from './kit/overview.ts';

export default defineCommand({
  name: 'market',
  description: msg('The whole market: regime, sentiment, strongest movers and what stands out most'),
  input: z.object({
    limit: wholeNumber(1, 25).default(10).describe('How many markets to list'),
    symbols: symbols.describe('Only these markets: a list, watchlist or top20').optional(),
  }),
  async run({ limit, symbols }, { data, store, caller, universe, now, signal }) {
    const followed = await store.watchlist.of(caller.receiver);
    const shownSymbols = symbols === undefined ? ['*'] : expandGroups(symbols, universe, followed);
    if (shownSymbols.length === 0) throw new UserError(emptyWatchlist);
    const [{ coins: all, fearGreed, timestamp }, regime, hours, changes, markets] = await Promise.all([
      data.marketOverview({}, signal),
      awaitPart(msg('The regime'), data.regimeProbabilities({}, signal)),
      fundingHours(data, signal),
      dayChanges({ data, signal }),
      awaitOptionalPart(msg('The regimes of the markets'), data.regimeMarkets({}, signal)),
    ]);
    const coins = all.filter(({ symbol }) => shownSymbols.includes('*') || shownSymbols.includes(symbol));
    const dataTime = Date.parse(timestamp);
    return {
      title:
        regime.value === undefined
          ? msg('Market')
          : msg('Market: {regime}', { regime: regimeWords(regime.value) }),
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
        ...breadthFact(markets.value),
        ...(changes.size === 0
          ? []
          : [
              { name: msg('Up most in 24 h'), value: movers(coins, { changes, direction: 1 }) },
              { name: msg('Down most in 24 h'), value: movers(coins, { changes, direction: -1 }) },
            ]),
        ...regime.missing,
        ...markets.missing,
        ...staleDataFacts(dataTime, { now, limit: 15 * minute }),
      ],
      table: overviewTable(coins.slice(0, limit), { hours, changes }),
      dataTime,
    };
  },
});

/** Says which share of the markets is in each state; of one market, which is known first after a start, there is no share. */
function breadthFact(markets: EndpointAnswer<'regimeMarkets'> | undefined): Fact[] {
  if (markets === undefined || markets.count < 2) return [];
  const shares = Object.entries(markets.breadth).sort(([, a], [, b]) => b - a);
  const parts = shares.map(([state, part]) => join([words(state), share(part)], ' '));
  return [
    {
      name: msg('Regimes'),
      value: msg('{shares} of {all} markets', { shares: listOf(parts), all: count(markets.count) }),
    },
  ];
}

/** Lists the markets whose price has moved most. */
function movers(
  coins: EndpointAnswer<'marketOverview'>['coins'],
  { changes, direction }: { readonly changes: DayChanges; readonly direction: 1 | -1 },
): Text {
  const moved = coins
    .map(({ symbol }) => ({ symbol, pct: changes.get(symbol) ?? 0 }))
    // A change that is shown as 0.0 leads nowhere.
    .filter(({ pct }) => Math.round(pct * 10) * direction > 0)
    .sort((a, b) => (b.pct - a.pct) * direction)
    .slice(0, 3);
  return moved.length === 0
    ? msgIn('market', 'none')
    : listOf(moved.map(({ symbol, pct }) => join([marketName(symbol), percent(pct, 1)], ' ')));
}
