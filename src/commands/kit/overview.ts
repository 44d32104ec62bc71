import { ratePer } from '../../alert/rate-per.ts';
import { likelierState } from '../../alert/regime.ts';
import type { Card } from '../../card/card.ts';
import { type FundingHours, fundingHours } from '../../client/funding-hours.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { UserError } from '../../language/errors.ts';
import { marketName, number, percent, price, signed, words } from '../../language/format.ts';
import { listOf, msg, type Text, typed } from '../../language/text.ts';
import { ifAnswered } from '../../runtime/errors.ts';
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

/** Returns what the service says of all markets at once about this one; undefined if it does not offer that. */
export const priceRow = async (symbol: string, { data, signal }: Pick<CommandContext, 'data' | 'signal'>) =>
  (await ifAnswered(data.prices({}, signal)))?.data.find((row) => row.symbol === symbol);

/** The regime in words: with what is likelier, where that is another state than the label. */
export const regimeWords = (regime: EndpointAnswer<'regimeProbabilities'>): Text =>
  likelierState({ ...regime, state: regime.current.state }) ?? words(regime.current.state);

/** The change of each market's price over 24 h, percent. Empty if the service does not offer it. */
export type DayChanges = ReadonlyMap<string, number>;

export async function dayChanges({
  data,
  signal,
}: Pick<CommandContext, 'data' | 'signal'>): Promise<DayChanges> {
  const answer = await ifAnswered(data.prices({}, signal));
  return new Map(
    answer?.data.flatMap(({ symbol, change24hPct }) =>
      change24hPct === undefined ? [] : [[symbol, change24hPct]],
    ),
  );
}

/** Returns a table with a row for each market. */
export const overviewTable = (
  coins: readonly Coin[],
  { hours, changes }: { readonly hours: FundingHours; readonly changes: DayChanges },
): NonNullable<Card['table']> => ({
  columns: [
    msg('Market'),
    msg('Price'),
    ...(changes.size > 0 ? [msg('24 h')] : []),
    msg('Signal'),
    msg('Funding'),
    msg('Master'),
  ],
  rows: coins.map((coin) => [
    marketName(coin.symbol),
    price(coin.price),
    ...(changes.size > 0 ? [percent(changes.get(coin.symbol), 1)] : []),
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
  const [{ coins, timestamp }, hours, changes] = await Promise.all([
    data.marketOverview({}, signal),
    fundingHours(data, signal),
    dayChanges({ data, signal }),
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
      { hours, changes },
    ),
    dataTime,
  };
}
