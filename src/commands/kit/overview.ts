import { ratePer } from '../../alert/rate-per.ts';
import type { Card } from '../../card/card.ts';
import { type FundingHours, fundingHours } from '../../client/funding-hours.ts';
import { UserError } from '../../language/errors.ts';
import { marketName, number, price, signed } from '../../language/format.ts';
import { listOf, msg, type Text, typed } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { staleDataFacts } from '../../shell/failure.ts';

interface Coin {
  readonly symbol: string;
  readonly price: number;
  readonly signal: number;
  readonly funding: number;
  readonly master: number;
}

/** Returns a table with a row for each market. */
export const overviewTable = (coins: readonly Coin[], hours: FundingHours): NonNullable<Card['table']> => ({
  columns: [msg('Market'), msg('Price'), msg('Signal'), msg('Funding'), msg('Master')],
  rows: coins.map((coin) => [
    marketName(coin.symbol),
    price(coin.price),
    signed(coin.signal),
    ratePer(coin.funding, hours.get(coin.symbol)),
    number(coin.master, 0),
  ]),
});

export const emptyWatchlist: Text = msg('The watchlist is empty: "{add}" starts it.', {
  add: typed('watchlist add btc eth', 'watchlist action:add symbols:btc eth'),
});

/** Builds a card with the markets of a list, in the list's order. Throws UserError if the list is empty. */
export async function overviewOf(
  title: Text,
  {
    symbols,
    data,
    now,
    signal,
  }: { readonly symbols: readonly string[] } & Pick<CommandContext, 'data' | 'now' | 'signal'>,
): Promise<Card> {
  if (symbols.length === 0) throw new UserError(emptyWatchlist);
  const [{ coins, timestamp }, hours] = await Promise.all([
    data.marketOverview({}, signal),
    fundingHours(data, signal),
  ]);
  const dataTime = Date.parse(timestamp);
  const known = new Map(coins.map((coin) => [coin.symbol, coin]));
  const missing = symbols.filter((symbol) => !known.has(symbol));
  return {
    title,
    facts: [
      ...(missing.length === 0 ? [] : [{ name: msg('No data now'), value: listOf(missing.map(marketName)) }]),
      ...staleDataFacts(dataTime, { now, limit: 15 * minute }),
    ],
    table: overviewTable(
      symbols.flatMap((symbol) => known.get(symbol) ?? []),
      hours,
    ),
    dataTime,
  };
}
