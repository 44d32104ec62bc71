import type { CandleInterval } from '../../contract/candle-interval.ts';
import type { MarginTiers } from '../../runtime/liquidation-price.ts';
import { loadPluginFolders } from '../../runtime/plugins.ts';
import { hour } from '../../runtime/units.ts';
import type {
  Book,
  Candle,
  Liquidation,
  Mark,
  OpenInterest,
  Ratio,
  SettledFunding,
  TimeRange,
} from '../archive/archive.ts';
import type { MarketKind } from '../archive/sources.ts';
import type { Pool } from '../exchanges/gate.ts';
import type { Ping } from '../exchanges/stream.ts';
import type { UpstreamOptions } from '../exchanges/upstream.ts';
import type { VenueUrls } from '../exchanges/urls.ts';
import { unpublishedSources } from './unpublished-sources.ts';

export interface Listing {
  readonly symbol: string;
  /** Absent: a coin. */
  readonly kind?: MarketKind | undefined;
  /** When trading began, ms; 0 if the venue does not publish it. */
  readonly listed: number;
  /** Volume of the last 24 h, in quote units. */
  readonly volume: number;
  /** The last price, in quote units. Absent if there is none yet. */
  readonly price?: number | undefined;
  /** Whether trading has not begun or has ended. Absent: the perpetual is traded. */
  readonly state?: 'PENDING' | 'ENDED' | undefined;
  /** When trading ends, ms. Absent if no end is planned or the venue does not publish it. */
  readonly ends?: number | undefined;
  /** Hours between two settlements, if the venue publishes the interval. */
  readonly fundingHours?: number | undefined;
  /** The venue's own number of the perpetual, which stays the same when the perpetual is renamed. */
  readonly number?: number;
}

/** Hours between two settlements of a market. */
interface FundingInterval {
  readonly symbol: string;
  readonly hours: number;
}

/** Returns the hours of an interval between settlements, ms; 0 if these are not whole hours of a day, as no market has. */
export function hoursOfInterval(interval: number): number {
  const hours = interval / hour;
  return Number.isInteger(hours) && hours >= 1 && hours <= 24 ? hours : 0;
}

export interface TopOfBook {
  readonly symbol: string;
  readonly bidPrice: number;
  readonly askPrice: number;
  readonly imbalance: number;
}

/** What a venue says of a market's price. What it does not say, or not in this message, is absent. */
export interface PriceTick {
  readonly symbol: string;
  /** The last traded price; the mark price where the venue tells of no trades. */
  readonly price?: number | undefined;
  readonly markPrice?: number | undefined;
  readonly indexPrice?: number | undefined;
  /** When the venue said so, ms by its clock. */
  readonly time?: number | undefined;
}

/**
 * A span of time to fetch as one page, in ascending order. `urgent` marks requests about the present, which may use the part
 * of the limits that history leaves free.
 */
export interface PageRequest extends TimeRange {
  readonly urgent?: boolean | undefined;
}

/** `rows`: the most rows in one response. `kept`: how many of the newest rows the venue keeps; absent: all. */
interface Paged {
  readonly rows: number;
  readonly kept?: number;
}

/** A stream of events that a venue sends on a WebSocket. */
export interface StreamRole<Event = unknown, Reading extends readonly unknown[] = []> {
  /** Returns the URL to connect to. @param root base URL of the venue's streams */
  url(root: string): string;
  /** Returns the messages that subscribe to the symbols; a message that was sent is not sent again. Absent: the URL is enough. */
  subscribe?(symbols: readonly string[]): readonly string[];
  /** A ping to send every `every` wall ms, which the venue answers; its `text` if the venue has a ping of its own. */
  readonly ping?: Ping;
  /** Returns the events in a message; an acknowledgement holds none. @throws Error if the message is not as documented */
  read(text: string, ...reading: Reading): readonly Event[];
}

/** How many coins a contract is, by the venue's name of the contract. */
export type ContractSizes = Map<string, number>;

/** What a reader of messages tells and knows beside the events. */
export interface StreamReading {
  /** Called with what was wrong if single events of a message are left out. */
  readonly onDropped: (example: string) => void;
  /** As `contractSizes` of the client gave them. The reader enters what the stream says. Empty: they are not needed. */
  readonly sizes: ContractSizes;
  /** Called with the name of a contract whose events are left out because its size is not known. */
  readonly onUnsized: (contract: string) => void;
}

interface LiquidationRole extends StreamRole<Liquidation, [StreamReading]> {
  /** Whether every liquidation is sent; else at most one per second and market. */
  readonly all: boolean;
  /**
   * Whether the liquidations of all markets are sent, also of those that were not asked for: of some market there always is
   * one soon. Otherwise a long silence is no fault, and the answers to `ping` show whether the stream is alive.
   */
  readonly wholeMarket: boolean;
}

/**
 * The kinds of data that a venue offers. If one is absent, the venue lacks that data: the collector of the data does not
 * run, and endpoints that need the data respond that it is not offered.
 */
interface VenueRoles {
  /** `takers`: whether the venue publishes how much of a candle's volume takers bought. */
  readonly candles?: Paged & { readonly takers: boolean };
  /** `every`: the longest time between two settlements, ms. `together`: a round asks for all markets in one call. */
  readonly funding?: Paged & { readonly every: number; readonly together: boolean };
  /** Present hours between two settlements, for all symbols at once. */
  readonly intervals?: object;
  readonly marks?: object;
  /** Closes of the 5-minute mark and index price. */
  readonly closes?: Paged;
  /** Present open interest. */
  readonly openInterest?: object;
  /** Past open interest, every 5 minutes. */
  readonly pastOpenInterest?: Paged;
  /** Long/short ratios of all accounts, every 15 minutes. `top`: also those of top traders' positions. */
  readonly ratios?: Paged & { readonly top: boolean };
  readonly book?: object;
  readonly quotes?: StreamRole<TopOfBook>;
  readonly liquidations?: LiquidationRole;
  /** Prices of all markets as they change, several in each second: a second without a changed price is a fault. */
  readonly ticks?: StreamRole<PriceTick>;
  /** The same prices for the asking, of all markets at once. */
  readonly prices?: object;
  /** Past books, averaged over each minute, and past liquidations. No exchange keeps these, but a simulated market does. */
  readonly pastBook?: object;
  readonly pastLiquidations?: object;
  /** The margin that is asked for a position of each size, to anybody who asks. */
  readonly marginTiers?: object;
  /** Coins in a contract, where the stream of liquidations counts contracts. */
  readonly contractSizes?: object;
}

/** REST client of a venue, which returns rows of the archive. `serverTime` and `listings` always exist, the rest by role. */
export interface VenueClient {
  close(): Promise<void>;
  serverTime(): Promise<number>;
  /** Returns the perpetuals that are, will be or were traded, as far as the venue lists them, in no order. */
  listings(): Promise<Listing[]>;
  /** Returns the candles whose open times are in the page, including the running candle if the page reaches it. */
  candles?(
    symbol: string,
    given: { readonly interval: CandleInterval; readonly page: PageRequest },
  ): Promise<Candle[]>;
  /** Returns all rows of the page, some of them perhaps twice. For many symbols, rows of others may be included. */
  funding?(of: string | readonly string[], page: PageRequest): Promise<SettledFunding[]>;
  /** Returns the symbols' present intervals. A symbol whose interval is unknown is left out. */
  intervals?(symbols: readonly string[]): Promise<FundingInterval[]>;
  /** Returns the symbols' present mark price, index price and running rate, stamped `at`. */
  marks?(symbols: readonly string[], at: number): Promise<Mark[]>;
  /** Returns closes of 5-minute candles; `time` is the open time. */
  closes?(
    price: 'mark' | 'index',
    given: { readonly symbol: string; readonly page: PageRequest },
  ): Promise<{ time: number; close: number }[]>;
  /** Returns the symbols' present open interest, stamped `at`. */
  openInterest?(symbols: readonly string[], at: number): Promise<OpenInterest[]>;
  pastOpenInterest?(symbol: string, page: PageRequest): Promise<OpenInterest[]>;
  ratios?(of: 'top' | 'global', given: { readonly symbol: string } & PageRequest): Promise<Ratio[]>;
  book?(symbols: readonly string[]): Promise<TopOfBook[]>;
  /** Returns the present prices of all markets, of the same kind as the stream's. */
  prices?(): Promise<PriceTick[]>;
  /** Returns the symbol's book averaged over each minute that ends in the page. */
  pastBook?(symbol: string, page: PageRequest): Promise<Book[]>;
  /** Returns the liquidations of all markets. Where these can be asked for, the stream is not listened to. */
  pastLiquidations?(page: PageRequest): Promise<Liquidation[]>;
  marginTiers?(symbol: string): Promise<MarginTiers>;
  contractSizes?(): Promise<ContractSizes>;
}

/**
 * Perpetuals on an ounce of gold, on the S&P 500, and on an ETF on it, whose price is a tenth of the index. A coin is called
 * SPX: no name is guessed.
 */
export type MacroPerpetual = 'gold_perpetual' | 'sp500_perpetual' | 'sp500_etf_perpetual';

/** A venue that trades perpetuals. Each venue is a folder next to this file; the folder's venue.ts exports the definition. */
export interface Venue {
  readonly name: string;
  /** The venue's name as shown to people. */
  readonly title: string;
  /** Pages about one of its markets for people, its own first: see `pages` of /meta. */
  readonly pages?: readonly { readonly title: string; readonly url: string }[];
  /** The addresses used unless others are configured. */
  readonly urls: VenueUrls;
  /** The limits per IP address. */
  readonly pools: readonly Pool[];
  /** What the client asks for, as errors name it after the venue: a path, or the type of a body. */
  readonly paths: readonly string[];
  /** By path and field: the labels that the client knows. It leaves rows with others out. */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly roles: VenueRoles;
  /** Its perpetuals on what other markets trade, by the series of their closes. Whether it lists them now, it says when asked. */
  readonly macro?: Readonly<Partial<Record<MacroPerpetual, string>>>;
  open(options: Omit<UpstreamOptions, 'name'>): VenueClient;
}

export const defineVenue = (venue: Venue): Venue => venue;

export const venuesFolder = import.meta.dirname;
/** The primary venue of a simulated market. Also the venue of an archive that does not name its venue. */
export const simulatedVenue = 'binance';

/** Loads the venues of a folder, those that offer the most data first. This is the order in which they are tried. */
export async function loadVenues(folder: string = venuesFolder): Promise<readonly Venue[]> {
  const venues = await loadPluginFolders<Venue>(folder, 'venue.ts');
  return venues.sort((a, b) => unpublishedSources(a).size - unpublishedSources(b).size);
}

/** Loads one venue of a folder. @throws RangeError if there is no venue of that name */
export async function loadVenue(name: string, folder?: string): Promise<Venue> {
  const venue = (await loadVenues(folder)).find((each) => each.name === name);
  if (venue === undefined) throw new RangeError(`there is no venue "${name}"`);
  return venue;
}
