import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';
import type { MetricName } from './metrics.ts';

/** Values of one symbol, or of the whole market, at one data time (market ms). What is not supplied is left out. */
export interface Reading {
  readonly symbol?: string;
  readonly time: number;
  readonly values: { readonly [Name in MetricName]?: number | string | undefined };
}

export interface Question {
  readonly data: DataClient;
  /** Symbols somebody has rules about; a feed of single symbols is asked about one. */
  readonly symbols: readonly string[];
  /** How far back rows are of use, where the feed has a past to tell; absent: the newest is enough. */
  readonly hours?: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** One question to the data service and the facts it answers. Durations are market ms. */
export interface Feed {
  /** One question for all symbols, or one for each. */
  readonly per: 'market' | 'symbol';
  /** Nothing newer is to be had sooner. */
  readonly every: number;
  /** Older values are not known any more: a few collections may fail. */
  readonly lasts: number;
  /** How far back it can be asked, hours; 0: it tells only the present. */
  readonly past: number;
  /** Its rows are of so long a time that begins with their own, ms, and are there when it is over; absent: of a moment. */
  readonly length?: number;
  /** In the order of their times. Throws ApiError. */
  read(question: Question): Promise<readonly Reading[]>;
  /**
   * The past for a picture, of the one symbol or the market, where `read` has none: of these. Of `hours`, or as much
   * more as makes a picture. Throws ApiError.
   */
  readonly history?: {
    readonly of: readonly MetricName[];
    read(question: Question): Promise<readonly Reading[]>;
  };
}

export const feedNames = [
  'overview',
  'funding',
  'fundingExtremes',
  'regime',
  'liquidations',
  'quality',
  'macro',
  'coin',
  'openInterest',
  'basis',
  'volume',
  'ratio',
  'spread',
  'options',
] as const;
export type FeedName = (typeof feedNames)[number];

/** Of an extension of the interface, such as candles: a service that lacks it has none. */
export function unoffered(error: unknown): readonly never[] {
  if (error instanceof ApiError && error.reason === 'not_offered') return [];
  throw error;
}
