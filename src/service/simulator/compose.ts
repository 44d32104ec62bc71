import { hour, minute } from '../../runtime/units.ts';
import type { Candle, Liquidation, SettledFunding } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import type { Factor } from './factor.ts';
import { createMacro, fearGreedBetween, macroBetween, stablecoinsBetween } from './macro.ts';
import type { Market, OptionCurrency, SimulatedFeed, SimulatedOutage, SimulatedSource } from './market.ts';
import { chainAt, type OptionsMarket, summaryOf } from './options.ts';
import { basisAt, bookAt, contractsAt, liquidationsOf, rateSince, ratiosAt } from './perpetual.ts';
import { candleAt, priceAt } from './price.ts';

/** What replaces the made values of one symbol. */
export interface RecordedSymbol {
  /** By open time; an hour without one is a gap. */
  readonly candles?: ReadonlyMap<number, Candle>;
  /** Ascending. */
  readonly funding?: readonly SettledFunding[];
}

export interface Parts {
  readonly seed: number;
  readonly factor: Factor;
  readonly coins: readonly Coin[];
  readonly recorded: ReadonlyMap<string, RecordedSymbol>;
  readonly latest: number;
  readonly outages: (from: number, to: number) => SimulatedOutage[];
}

const simulated: Record<SimulatedFeed, SimulatedSource> = {
  candles: 'simulated',
  takerVolume: 'simulated',
  funding: 'simulated',
  openInterest: 'simulated',
  marks: 'simulated',
  ratios: 'simulated',
  book: 'simulated',
  liquidations: 'simulated',
  options: 'simulated',
  macro: 'simulated',
  fearGreed: 'simulated',
  stablecoins: 'simulated',
};

/** Index of the first element at or after `time`. */
const lowerBound = (rows: readonly { readonly time: number }[], time: number): number => {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.time ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** One market of the parts given, recorded ones in front of made ones. */
export function composeMarket({ seed, factor, coins, recorded, latest, outages }: Parts): Market {
  const bySymbol = new Map(coins.map((coin) => [coin.listing.symbol, coin]));
  const genesis = factor.genesis * hour;
  const leader = coins[0];
  if (leader === undefined) throw new RangeError('a market needs at least one coin');
  const coinOf = (symbol: string): Coin => {
    const coin = bySymbol.get(symbol);
    if (coin === undefined) throw new RangeError(`${symbol} is not listed in this market`);
    return coin;
  };

  // Questions come in runs over neighbouring moments of one coin: its last candle is the next one too.
  const lastCandle = new Map<Coin, Candle>();
  const madeOrRecorded = (coin: Coin, at: number): Candle | undefined => {
    const candles = recorded.get(coin.listing.symbol)?.candles;
    if (candles !== undefined) return candles.get(at * hour);
    const held = lastCandle.get(coin);
    if (held?.time === at * hour) return held;
    const made = candleAt(coin, at);
    lastCandle.set(coin, made);
    return made;
  };
  const priceOf = (coin: Coin, time: number): number =>
    priceAt(coin, time, madeOrRecorded(coin, Math.floor(time / hour)));

  const rateAt = (coin: Coin, time: number): number => {
    const period = coin.listing.fundingHours * hour;
    const start = Math.floor(time / period) * period;
    const rows = recorded.get(coin.listing.symbol)?.funding;
    if (rows === undefined) return rateSince(coin, start, time);
    // A recording holds settlements only: between two of them the running rate is drawn as a line.
    const next = lowerBound(rows, time);
    const before = rows[next - 1] ?? rows[next];
    const after = rows[next] ?? before;
    if (before === undefined || after === undefined) return 0;
    const share = after.time > before.time ? (time - before.time) / (after.time - before.time) : 0;
    return before.rate + (after.rate - before.rate) * share;
  };

  // The stream asks for a few seconds at a time of all coins: an hour is made once and kept while it lasts.
  const liquidated = new Map<number, readonly Liquidation[]>();
  const liquidationsIn = (at: number): readonly Liquidation[] => {
    const held = liquidated.get(at);
    if (held !== undefined) return held;
    const made = coins
      .flatMap((coin) => liquidationsOf(coin, at, (time) => priceOf(coin, time)))
      .sort((a, b) => a.time - b.time);
    if (liquidated.size >= 3) liquidated.delete(liquidated.keys().next().value ?? at);
    liquidated.set(at, made);
    return made;
  };

  const optionsMarket: OptionsMarket = {
    seed,
    spot: (currency, time) => {
      const coin = bySymbol.get(`${currency}USDT`) ?? leader;
      return Math.exp(coin.log(Math.floor(time / hour)));
    },
    sigma: (currency, time) => (bySymbol.get(`${currency}USDT`) ?? leader).sigma(Math.floor(time / hour)),
  };
  const macro = createMacro(seed, factor);

  const has = (feed: 'candles' | 'funding', symbol: string) =>
    recorded.get(symbol)?.[feed] === undefined ? 'simulated' : 'recorded';
  const sourceOf = (feed: SimulatedFeed, symbol: string): SimulatedSource =>
    feed === 'candles' || feed === 'funding' ? has(feed, symbol) : 'simulated';
  const anySource = (feed: 'candles' | 'funding'): SimulatedSource =>
    [...recorded.keys()].some((symbol) => has(feed, symbol) === 'recorded') ? 'recorded' : 'simulated';

  return {
    instruments: coins.map(
      ({ listing: { symbol, base, priceDecimals, quantityDecimals, fundingHours } }) => ({
        symbol,
        base,
        priceDecimals,
        quantityDecimals,
        fundingHours,
      }),
    ),
    earliest: genesis,
    latest,
    sources: { ...simulated, candles: anySource('candles'), funding: anySource('funding') },
    sourceOf,
    price: (symbol, time) => priceOf(coinOf(symbol), time),
    candles(symbol, from, to) {
      const coin = coinOf(symbol);
      const rows: Candle[] = [];
      for (
        let at = Math.ceil(Math.max(from, genesis) / hour);
        at * hour <= Math.min(to, latest - 1);
        at += 1
      ) {
        const candle = madeOrRecorded(coin, at);
        if (candle !== undefined) rows.push(candle);
      }
      return rows;
    },
    settlements(symbol, from, to) {
      const coin = coinOf(symbol);
      const rows = recorded.get(symbol)?.funding;
      if (rows !== undefined) return rows.slice(lowerBound(rows, from), lowerBound(rows, to + 1));
      const period = coin.listing.fundingHours * hour;
      const made: SettledFunding[] = [];
      for (
        let time = Math.ceil(Math.max(from, genesis + period) / period) * period;
        time <= to;
        time += period
      ) {
        made.push({ symbol, time, rate: rateSince(coin, time - period, time) });
      }
      return made;
    },
    mark(symbol, time) {
      const coin = coinOf(symbol);
      const markPrice = priceOf(coin, time);
      const indexPrice = Number((markPrice / (1 + basisAt(coin, time))).toFixed(8));
      return { symbol, time, markPrice, indexPrice, estFunding: rateAt(coin, time) };
    },
    openInterest(symbol, time) {
      const coin = coinOf(symbol);
      const contracts = contractsAt(coin, time);
      return { symbol, time, contracts, valueUsd: contracts * priceOf(coin, time) };
    },
    ratios: (symbol, time) => ratiosAt(coinOf(symbol), time),
    topOfBook(symbol, time) {
      const coin = coinOf(symbol);
      const start = Math.floor(time / minute) * minute;
      return bookAt(coin, start, priceOf(coin, start));
    },
    books(symbol, from, to) {
      const coin = coinOf(symbol);
      const rows = [];
      for (
        let time = Math.ceil(Math.max(from, genesis + minute) / minute) * minute;
        time <= to;
        time += minute
      ) {
        const { bidPrice, askPrice, bidQuantity, askQuantity } = bookAt(
          coin,
          time - minute,
          priceOf(coin, time - minute),
        );
        const imbalance = (bidQuantity - askQuantity) / (bidQuantity + askQuantity);
        rows.push({ symbol, time, bidPrice, askPrice, imbalance });
      }
      return rows;
    },
    liquidations(from, to) {
      const rows: Liquidation[] = [];
      for (let at = Math.floor(Math.max(from, genesis) / hour); at * hour <= to; at += 1) {
        for (const row of liquidationsIn(at)) if (row.time >= from && row.time <= to) rows.push(row);
      }
      return rows;
    },
    chain: (currency, time) => chainAt(optionsMarket, currency, time),
    options(currency: OptionCurrency, from, to) {
      const rows = [];
      const period = 15 * minute;
      for (let time = Math.ceil(Math.max(from, genesis) / period) * period; time <= to; time += period) {
        rows.push(summaryOf(currency, time, chainAt(optionsMarket, currency, time)));
      }
      return rows;
    },
    macro: (series, from, to) => macroBetween(macro, series, Math.max(from, genesis), to),
    fearGreed: (from, to) => fearGreedBetween(seed, leader, Math.max(from, genesis), to),
    stablecoins: (from, to) => stablecoinsBetween(seed, leader, Math.max(from, genesis), to),
    outages,
  };
}
