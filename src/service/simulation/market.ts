import { z } from 'zod';
import type {
  Book,
  Candle,
  Liquidation,
  Mark,
  Observation,
  OpenInterest,
  OptionsSummary,
  SettledFunding,
  TimeRange,
} from '../archive/archive.ts';
import type { MarketKind } from '../archive/sources.ts';
import { coinStates } from './coin.ts';

/** A perpetual of a market. Its prices and quantities have the given decimals. */
export interface Instrument {
  readonly symbol: string;
  /** What it is on, where that is no coin. */
  readonly kind?: MarketKind | undefined;
  readonly base: string;
  /** Rank by volume; 0 is the largest. */
  readonly rank: number;
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  /** Hours between settlements: 8, or 4 for a few coins. */
  readonly fundingHours: number;
}

export const simulatedFeeds = [
  'candles',
  'takerVolume',
  'funding',
  'openInterest',
  'marks',
  'ratios',
  'book',
  'liquidations',
  'options',
  'macro',
  'fearGreed',
  'stablecoins',
] as const;
export type SimulatedFeed = (typeof simulatedFeeds)[number];
export type SimulatedSource = 'simulated' | 'recorded';

/** Share of longs among top traders' positions and among all accounts, 0 to 1. */
export interface Ratios {
  readonly top: number;
  readonly global: number;
}

/** Top of a book. It changes once per market minute, so its average over the minute equals each sample. */
export interface SimulatedTopOfBook {
  readonly bidPrice: number;
  readonly bidQuantity: number;
  readonly askPrice: number;
  readonly askQuantity: number;
}

export interface SimulatedOption {
  readonly expiry: number;
  readonly strike: number;
  readonly kind: 'C' | 'P';
  /** Open interest, in coins. */
  readonly openInterest: number;
  /** Implied volatility, percent per year. */
  readonly impliedVolatility: number;
}

export type SimulatedUpstream = 'binance' | 'openInterest' | 'liquidations' | 'deribit';

/**
 * A simulated outage. `binance`: Binance's whole REST API fails; `openInterest`: Binance's open interest and /futures/data
 * fail; `liquidations`: the stream sends nothing; `deribit`: Deribit fails.
 */
export interface SimulatedOutage {
  readonly upstream: SimulatedUpstream;
  readonly from: number;
  readonly to: number;
}

export const macroSeries = ['sp500', 'gold', 'dxy', 'vix'] as const;
export type MacroSeries = (typeof macroSeries)[number];

/** Is raised with each change of what the hours of a simulated market are computed from. */
export const marketVersion = 1;

/** The states of a market's coins, by symbol. */
export const marketCheckpoint = z.record(z.string(), coinStates);
export type MarketCheckpoint = z.infer<typeof marketCheckpoint>;

/**
 * All data of a simulated or recorded market, as functions of market time (ms, UTC): a call with the same arguments gives the same
 * result in any order and in any process. A market can be read at future times too; only the clients on top of it stop
 * at the present. Lists are ascending in time and include both ends (`from ≤ time ≤ to`). A call with an unknown symbol throws
 * a RangeError.
 */
export interface Market {
  /**
   * Returns what the hours from some weeks before `time` on are computed from. Stored as JSON and given to `resume` of the
   * same market in a later process, it spares that one the hours since `earliest`, which takes about a second.
   */
  checkpoint(time: number): MarketCheckpoint;
  resume(checkpoint: MarketCheckpoint): void;
  /** The market's perpetuals, the largest volume first. */
  readonly instruments: readonly Instrument[];
  readonly earliest: number;
  /** End of the market's data, ms. Infinity for a synthetic market. */
  readonly latest: number;
  /** Source of each feed: `recorded` if it is recorded for at least one symbol. For one symbol see `sourceOf`. */
  readonly sources: Readonly<Record<SimulatedFeed, SimulatedSource>>;
  sourceOf(feed: SimulatedFeed, symbol: string): SimulatedSource;
  price(symbol: string, time: number): number;
  /** Returns complete hourly candles by open time; the exchange cuts the running one. Gaps in a recording remain. */
  candles(symbol: string, span: TimeRange): Candle[];
  /** Returns an hourly candle of `candles` as the candles of its minutes. */
  minutes(hour: Candle): Candle[];
  settlements(symbol: string, span: TimeRange): SettledFunding[];
  mark(symbol: string, time: number): Mark;
  openInterest(symbol: string, time: number): OpenInterest;
  ratios(symbol: string, time: number): Ratios;
  topOfBook(symbol: string, time: number): SimulatedTopOfBook;
  /** Returns the averaged books of the minutes that end in the window. */
  books(symbol: string, span: TimeRange): Book[];
  /** Returns the liquidations of all symbols, at most one per symbol and second. */
  liquidations(from: number, to: number): Liquidation[];
  chain(currency: string, time: number): SimulatedOption[];
  /** Returns a summary of the option chain for every 15 minutes of the window. */
  options(currency: string, span: TimeRange): OptionsSummary[];
  /** Returns a value for every 15 minutes of the window. */
  macro(series: MacroSeries, span: TimeRange): Observation[];
  /** Returns daily values from 0 to 100. */
  fearGreed(from: number, to: number): Observation[];
  /** Returns daily values of the circulating amount, USD. */
  stablecoins(from: number, to: number): Observation[];
  /** Returns the outages that overlap the window. */
  outages(from: number, to: number): SimulatedOutage[];
}
