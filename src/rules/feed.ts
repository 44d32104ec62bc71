import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';
import type { MetricName } from './metrics.ts';

/** Values of one symbol, or of the whole market, at one data time (market ms). Values that are not supplied are left out. */
export interface Reading {
  readonly symbol?: string;
  readonly time: number;
  readonly values: { readonly [Name in MetricName]?: number | string | undefined };
  /** Whether the values are lower bounds. Absent: no. */
  readonly atLeast?: boolean;
}

export interface Question {
  readonly data: DataClient;
  /** The symbols that rules are about. A feed of single symbols is asked about one at a time. */
  readonly symbols: readonly string[];
  /** How far back rows are wanted, hours, if the feed has a past. Absent: only the newest are. */
  readonly hours?: number;
  /** Those whose values are of use. Absent: all. */
  readonly metrics?: ReadonlySet<MetricName> | undefined;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A question to the data service, and how its answer is read as facts. Durations are market ms. */
export interface Feed {
  /** Each symbol is a question of its own. Absent: one question answers for all. */
  readonly isPerSymbol?: true;
  /** The shortest time between two questions: the service has nothing newer sooner. */
  readonly interval: number;
  /** Whether something newer comes at each multiple of `interval`, and not between. */
  readonly aligned?: true;
  /** The age above which a value counts as not known. It allows for a few failed collections. */
  readonly validFor: number;
  /** How far back the feed can be asked, hours. Absent: it has only the present. */
  readonly pastHours?: number;
  /**
   * The length of the period that a row is about, ms. It begins at the row's time, and the row is available when it is
   * over. Absent: a row is about a moment.
   */
  readonly length?: number;
  /**
   * Returns readings in the order of their times.
   *
   * @throws ApiError
   */
  read(question: Question): Promise<readonly Reading[]>;
  /**
   * The past for a chart, of one symbol or of the market, where `read` has none. `metrics`: those that it has. Its
   * `read` returns `hours` of readings, or more where a chart needs more.
   *
   * @throws ApiError
   */
  readonly history?: {
    readonly metrics: readonly MetricName[];
    read(question: Question): Promise<readonly Reading[]>;
  };
}

/**
 * Handles the error of a question for an extension of the interface, such as candles: a service that lacks it has no
 * rows. Throws any other error again.
 */
export function emptyIfNotOffered(error: unknown): readonly never[] {
  if (error instanceof ApiError && error.reason === 'not_offered') return [];
  throw error;
}
