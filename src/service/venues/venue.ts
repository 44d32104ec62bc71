import { loadPluginFolders } from '../../runtime/plugins.ts';
import type {
  Candle,
  Liquidation,
  Mark,
  OpenInterest,
  Ratio,
  SettledFunding,
  TimeRange,
} from '../archive/archive.ts';
import type { Pool } from '../exchanges/gate.ts';
import type { OnOdd } from '../exchanges/rows.ts';
import type { UpstreamOptions } from '../exchanges/upstream.ts';
import type { VenueUrls } from '../exchanges/urls.ts';
import { lacking } from './lacking.ts';

export interface Listing {
  readonly symbol: string;
  /** When its trading began, ms; 0 where the venue does not say. */
  readonly listed: number;
  /** Of the last 24 h, in quote units. */
  readonly volume: number;
  /** The last one, in quote units; absent where there is none yet. */
  readonly price?: number;
  /** Its trading has not begun, or has ended; absent: it is traded. */
  readonly state?: 'PENDING' | 'ENDED';
  /** When its trading ends, ms; absent where no end is planned, or the venue does not say. */
  readonly ends?: number;
  /** Hours between two settlements, where the venue says it. */
  readonly fundingHours?: number;
  /** The venue's own number of it, which it keeps under another name. */
  readonly number?: number;
}

/** Hours between two settlements of a market. */
export interface FundingInterval {
  readonly symbol: string;
  readonly hours: number;
}

export interface TopOfBook {
  readonly symbol: string;
  readonly bidPrice: number;
  readonly askPrice: number;
  readonly imbalance: number;
}

/** A page at most, ascending. `urgent` for the present: it may spend what history leaves of the limits. */
export interface PageRequest extends TimeRange {
  readonly urgent?: boolean;
}

/** Rows of one answer at most; `kept`: of so many of the newest alone there are any. */
interface Paged {
  readonly rows: number;
  readonly kept?: number;
}

/** What a venue tells by itself, on a socket. */
interface StreamRole<Event> {
  /** @param root the venue's stream URL */
  url(root: string): string;
  /** What is said once connected, for these symbols; absent: the URL says it all. */
  subscribe?(symbols: readonly string[]): readonly string[];
  /** Said every so many wall ms, where the venue closes a socket that says nothing. */
  readonly ping?: { readonly every: number; readonly text: string };
  /** Acknowledgements hold no event. @throws Error where a message is not as promised */
  read(text: string): readonly Event[];
}

/**
 * What a venue can be asked, or tells. Each may be left out: the venue lacks it, its collector does not run and its
 * endpoints say so.
 */
export interface VenueRoles {
  /** `takers`: it says how much of a candle's volume takers bought. */
  readonly candles?: Paged & { readonly takers: boolean };
  /** `every`: ms between two settlements of a market, at most; `together`: it is asked for all markets at once. */
  readonly funding?: Paged & { readonly every: number; readonly together: boolean };
  /** Hours between settlements as they are now, of all symbols at once. */
  readonly intervals?: object;
  readonly marks?: object;
  /** Closes of the 5-minute mark and index price. */
  readonly closes?: Paged;
  /** Of the present. */
  readonly openInterest?: object;
  /** Every 5 minutes of the past. */
  readonly pastOpenInterest?: Paged;
  /** Every 15 minutes, of all accounts; `top`: of top traders' positions too. */
  readonly ratios?: Paged & { readonly top: boolean };
  readonly book?: object;
  readonly quotes?: StreamRole<TopOfBook>;
  /** `all`: every one is told; else one a second of a market at the most. */
  readonly liquidations?: StreamRole<Liquidation> & { readonly all: boolean };
}
export type VenueRole = keyof VenueRoles;

/** A venue's REST as rows of the archive: what it has a role for, and its clock and list of markets always. */
export interface VenueClient {
  close(): Promise<void>;
  serverTime(): Promise<number>;
  /** Perpetuals of coins that are traded, will be or were, as far as the venue names them, without an order. */
  listings(): Promise<Listing[]>;
  /** Open times in the page; the running candle is among them if the page reaches it. */
  candles?(
    symbol: string,
    given: { readonly interval: '1h' | '1d'; readonly page: PageRequest },
  ): Promise<Candle[]>;
  /** The first rows of the page, as many as an answer holds or more; of many symbols, and may be of others too. */
  funding?(of: string | readonly string[], page: PageRequest): Promise<SettledFunding[]>;
  /** Of the symbols now; one of which it is not known is left out. */
  intervals?(symbols: readonly string[]): Promise<FundingInterval[]>;
  /** Mark, index and running rate of the symbols now, stamped `at`. */
  marks?(symbols: readonly string[], at: number): Promise<Mark[]>;
  /** `time` is the open time. */
  closes?(
    price: 'mark' | 'index',
    given: { readonly symbol: string; readonly page: PageRequest },
  ): Promise<{ time: number; close: number }[]>;
  /** Of the symbols now, stamped `at`. */
  openInterest?(symbols: readonly string[], at: number): Promise<OpenInterest[]>;
  pastOpenInterest?(symbol: string, page: PageRequest): Promise<OpenInterest[]>;
  ratios?(of: 'top' | 'global', given: { readonly symbol: string } & PageRequest): Promise<Ratio[]>;
  book?(symbols: readonly string[]): Promise<TopOfBook[]>;
}

/** One venue of perpetuals: a folder beside this file whose venue.ts exports it. */
export interface Venue {
  /** Its folder's. */
  readonly name: string;
  /** As people read it. */
  readonly title: string;
  /** Where it is asked where nobody says otherwise. */
  readonly urls: VenueUrls;
  /** Its limits per address; a simulator has none. */
  readonly pools: readonly Pool[];
  readonly roles: VenueRoles;
  open(options: Omit<UpstreamOptions, 'name'> & { readonly onOdd?: OnOdd | undefined }): VenueClient;
}

export const defineVenue = (venue: Venue): Venue => venue;

export const venuesFolder = import.meta.dirname;
/** The one that the simulator plays by itself, and that archives hold which say nothing. */
export const simulatedVenue = 'binance';

/** Those from which most can be answered first: the order in which they are tried. */
export async function loadVenues(folder: string = venuesFolder): Promise<readonly Venue[]> {
  const venues = await loadPluginFolders<Venue>(folder, 'venue.ts');
  return venues.sort((a, b) => lacking(a).size - lacking(b).size);
}

/** One of a folder. */
export async function loadVenue(name: string, folder?: string): Promise<Venue> {
  const venue = (await loadVenues(folder)).find((each) => each.name === name);
  if (venue === undefined) throw new RangeError(`there is no venue "${name}"`);
  return venue;
}
