import type {
  Book,
  Candle,
  Liquidation,
  Mark,
  Observation,
  OpenInterest,
  OptionsSummary,
  SettledFunding,
} from '../archive/archive.ts';

/** A perpetual of the simulated exchange; decimals are those its prices and quantities are printed with. */
export interface Instrument {
  readonly symbol: string;
  readonly base: string;
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  /** Hours between settlements: 8, and 4 for a few. */
  readonly fundingHours: number;
}

export type SimulatedFeed =
  | 'candles'
  | 'takerVolume'
  | 'funding'
  | 'openInterest'
  | 'marks'
  | 'ratios'
  | 'book'
  | 'liquidations'
  | 'options'
  | 'macro'
  | 'fearGreed'
  | 'stablecoins';
export type SimulatedSource = 'simulated' | 'recorded';

/** Longs' share of top traders' positions and of all accounts, 0 to 1. */
export interface Ratios {
  readonly top: number;
  readonly global: number;
}

/** Top of book; it moves once a market minute, so that its minute average is itself. */
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
  /** Coins. */
  readonly openInterest: number;
  /** Percent a year. */
  readonly impliedVolatility: number;
  /** The future of this expiry, USD. */
  readonly underlying: number;
}

export type SimulatedUpstream = 'binance' | 'openInterest' | 'liquidations' | 'deribit';

/** `binance`: all of its REST; `openInterest`: its data pages; `liquidations`: the socket falls silent. */
export interface SimulatedOutage {
  readonly upstream: SimulatedUpstream;
  readonly from: number;
  readonly to: number;
}

export const macroSeries = ['sp500', 'gold', 'dxy', 'vix'] as const;
export type MacroSeries = (typeof macroSeries)[number];
export const optionCurrencies = ['BTC', 'ETH'] as const;
export type OptionCurrency = (typeof optionCurrencies)[number];

/**
 * Everything the exchanges know, as functions of market time (ms, UTC): the same question has the same answer in
 * any order and in any process. It knows its own future; only the exchanges on top of it stop at now.
 * Lists are ascending in time; `from ≤ time ≤ to`. An unknown symbol is an error of the caller: RangeError.
 */
export interface Market {
  /** By volume, largest first. */
  readonly instruments: readonly Instrument[];
  readonly earliest: number;
  /** Nothing is known after it; Infinity for a synthetic market. */
  readonly latest: number;
  /** `recorded` where at least one symbol's is; `sourceOf` says for one symbol. */
  readonly sources: Readonly<Record<SimulatedFeed, SimulatedSource>>;
  sourceOf(feed: SimulatedFeed, symbol: string): SimulatedSource;
  price(symbol: string, time: number): number;
  /** Hourly candles by open time, complete ones: the exchange cuts the running one. Gaps as recorded. */
  candles(symbol: string, given: { readonly from: number; readonly to: number }): Candle[];
  settlements(symbol: string, given: { readonly from: number; readonly to: number }): SettledFunding[];
  mark(symbol: string, time: number): Mark;
  openInterest(symbol: string, time: number): OpenInterest;
  ratios(symbol: string, time: number): Ratios;
  topOfBook(symbol: string, time: number): SimulatedTopOfBook;
  /** Averages of the minutes that end in the window. */
  books(symbol: string, given: { readonly from: number; readonly to: number }): Book[];
  /** Of all symbols; at most one per symbol and second. */
  liquidations(from: number, to: number): Liquidation[];
  chain(currency: OptionCurrency, time: number): SimulatedOption[];
  /** At every 15 minutes of the window. */
  options(currency: OptionCurrency, given: { readonly from: number; readonly to: number }): OptionsSummary[];
  /** At every 15 minutes of the window. */
  macro(series: MacroSeries, given: { readonly from: number; readonly to: number }): Observation[];
  /** Daily, 0 to 100. */
  fearGreed(from: number, to: number): Observation[];
  /** Daily, USD in circulation. */
  stablecoins(from: number, to: number): Observation[];
  /** Outages touching the window. */
  outages(from: number, to: number): SimulatedOutage[];
}
