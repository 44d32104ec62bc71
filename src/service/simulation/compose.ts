import { hour, minute } from '../../runtime/units.ts';
import type { Candle, Liquidation } from '../archive/archive.ts';
import type { Coin } from './coin.ts';
import { everyStep } from './every-step.ts';
import type { Factor } from './factor.ts';
import { createFundingLine } from './funding-line.ts';
import { createMacro, fearGreedBetween, macroBetween, stablecoinsBetween } from './macro.ts';
import {
  type Market,
  type SimulatedFeed,
  type SimulatedOutage,
  type SimulatedSource,
  simulatedFeeds,
} from './market.ts';
import { chainAt, type OptionsMarket, summaryAt } from './options.ts';
import { basisAt, bookAt, contractsAt, liquidationsOf, ratiosAt } from './perpetual.ts';
import { candleAt, minutesOf, priceAt } from './price.ts';
import type { RecordedSymbols } from './recorded-symbol.ts';

interface MarketParts {
  readonly seed: number;
  readonly factor: Factor;
  readonly coins: readonly Coin[];
  readonly recorded: RecordedSymbols;
  readonly latest: number;
  readonly outages: (from: number, to: number) => SimulatedOutage[];
}

type PriceLine = ReturnType<typeof createPriceLine>;

/** Candles cached for each coin: what is requested most is its last day. */
const cachedHours = 32;

/** Provides each coin's prices: recorded ones if the coin is recorded, else generated ones. */
function createPriceLine(recorded: RecordedSymbols) {
  const cached = new Map<Coin, Candle[]>();
  /** Returns the candle of an hour, given as hours since the epoch. Undefined if a recording has a gap there. */
  const candle = (coin: Coin, at: number): Candle | undefined => {
    const candles = recorded.get(coin.listing.symbol)?.candles;
    if (candles !== undefined) return candles.get(at * hour);
    const held = cached.getOrInsertComputed(coin, () => []);
    const known = held[at % cachedHours];
    if (known?.time === at * hour) return known;
    const made = candleAt(coin, at);
    held[at % cachedHours] = made;
    return made;
  };
  return {
    candle,
    price: (coin: Coin, time: number): number => priceAt(coin, time, candle(coin, Math.floor(time / hour))),
  };
}

/** Builds a market from its parts. Recorded values take precedence over generated ones. */
export function composeMarket({ seed, factor, coins, recorded, latest, outages }: MarketParts): Market {
  const bySymbol = new Map(coins.map((coin) => [coin.listing.symbol, coin]));
  const genesis = factor.genesis * hour;
  const leader = coins[0];
  if (leader === undefined) throw new RangeError('a market needs at least one coin');
  const coinOf = (symbol: string): Coin => {
    const coin = bySymbol.get(symbol);
    if (coin === undefined) throw new RangeError(`${symbol} is not listed in this market`);
    return coin;
  };

  const prices = createPriceLine(recorded);
  const funding = createFundingLine(recorded, genesis);
  const liquidationsIn = createLiquidations(coins, prices);
  const optionsMarket: OptionsMarket = {
    seed,
    spot: (currency, time) => {
      const coin = bySymbol.get(`${currency}USDT`) ?? leader;
      return Math.exp(coin.log(Math.floor(time / hour)));
    },
    sigma: (currency, time) => (bySymbol.get(`${currency}USDT`) ?? leader).sigma(Math.floor(time / hour)),
  };
  const macro = createMacro(seed, factor);

  const sources = sourcesOf(recorded);

  return {
    instruments: coins.map(({ listing }) => listing),
    earliest: genesis,
    latest,
    ...sources,
    price: (symbol, time) => prices.price(coinOf(symbol), time),
    candles(symbol, { from, to }) {
      const coin = coinOf(symbol);
      const opened = everyStep({ from: Math.max(from, genesis), to: Math.min(to, latest - 1) }, hour);
      return opened.flatMap((time) => prices.candle(coin, time / hour) ?? []);
    },
    minutes: (candle) => minutesOf(coinOf(candle.symbol), candle),
    settlements: (symbol, { from, to }) => funding.settlements(coinOf(symbol), { from, to }),
    mark(symbol, time) {
      const coin = coinOf(symbol);
      const markPrice = prices.price(coin, time);
      const indexPrice = Number((markPrice / (1 + basisAt(coin, time))).toFixed(8));
      return { symbol, time, markPrice, indexPrice, estFunding: funding.rate(coin, time) };
    },
    openInterest(symbol, time) {
      const coin = coinOf(symbol);
      const contracts = contractsAt(coin, time);
      return { symbol, time, contracts, valueUsd: contracts * prices.price(coin, time) };
    },
    ratios: (symbol, time) => ratiosAt(coinOf(symbol), time),
    topOfBook(symbol, time) {
      const coin = coinOf(symbol);
      const start = Math.floor(time / minute) * minute;
      return bookAt(coin, start, prices.price(coin, start));
    },
    books: (symbol, { from, to }) =>
      booksOf(coinOf(symbol), { prices, from: Math.max(from, genesis + minute), to }),
    liquidations(from, to) {
      const begun = Math.floor(Math.max(from, genesis) / hour) * hour;
      return everyStep({ from: begun, to }, hour).flatMap((start) =>
        liquidationsIn(start / hour).filter(({ time }) => time >= from && time <= to),
      );
    },
    chain: (currency, time) => chainAt(optionsMarket, { currency, time }),
    options: (currency, { from, to }) =>
      everyStep({ from: Math.max(from, genesis), to }, 15 * minute).map((time) =>
        summaryAt(optionsMarket, { currency, time }),
      ),
    macro: (series, { from, to }) => macroBetween(macro, series, { from: Math.max(from, genesis), to }),
    fearGreed: (from, to) => fearGreedBetween(seed, leader, { from: Math.max(from, genesis), to }),
    stablecoins: (from, to) => stablecoinsBetween(seed, leader, { from: Math.max(from, genesis), to }),
    outages,
    checkpoint: (time) =>
      Object.fromEntries(
        coins.flatMap((coin) => {
          const states = coin.statesAt(Math.floor(time / hour));
          return states === undefined ? [] : [[coin.listing.symbol, states]];
        }),
      ),
    resume(checkpoint) {
      for (const coin of coins) {
        const states = checkpoint[coin.listing.symbol];
        if (states !== undefined) coin.resume(states);
      }
    },
  };
}

const generated = Object.fromEntries(simulatedFeeds.map((feed) => [feed, 'simulated'])) as Record<
  SimulatedFeed,
  SimulatedSource
>;

/** Returns the source of each feed, over all symbols and for one symbol. */
function sourcesOf(recorded: RecordedSymbols): Pick<Market, 'sources' | 'sourceOf'> {
  const has = (feed: 'candles' | 'funding', symbol: string) => recorded.get(symbol)?.[feed] !== undefined;
  const anyHas = (feed: 'candles' | 'funding'): SimulatedSource =>
    [...recorded.keys()].some((symbol) => has(feed, symbol)) ? 'recorded' : 'simulated';
  return {
    sources: { ...generated, candles: anyHas('candles'), funding: anyHas('funding') },
    sourceOf: (feed, symbol) =>
      (feed === 'candles' || feed === 'funding') && has(feed, symbol) ? 'recorded' : 'simulated',
  };
}

/** Returns the top of the book for each minute. It is constant within a minute, so it equals the minute's mean. */
function booksOf(
  coin: Coin,
  { prices, from, to }: { readonly prices: PriceLine; readonly from: number; readonly to: number },
) {
  return everyStep({ from, to }, minute).map((time) => {
    const start = time - minute;
    const { bidPrice, askPrice, bidQuantity, askQuantity } = bookAt(coin, start, prices.price(coin, start));
    const imbalance = (bidQuantity - askQuantity) / (bidQuantity + askQuantity);
    return { symbol: coin.listing.symbol, time, bidPrice, askPrice, imbalance };
  });
}

/** Returns a function that gives the liquidations of all coins in an hour, ascending. Hours are counted since the epoch. */
function createLiquidations(coins: readonly Coin[], prices: PriceLine) {
  // The streams read a few seconds at a time, so the last hours are cached instead of being generated for each read.
  const cached = new Map<number, readonly Liquidation[]>();
  return (at: number): readonly Liquidation[] => {
    const known = cached.get(at);
    if (known !== undefined) return known;
    const made = coins
      .flatMap((coin) => liquidationsOf(coin, at, (time) => prices.price(coin, time)))
      .sort((a, b) => a.time - b.time);
    if (cached.size >= 3) cached.delete(cached.keys().next().value ?? at);
    cached.set(at, made);
    return made;
  };
}
