import { z } from 'zod';

/**
 * One operation that the data service offers, as a value without logic.
 * The typed client, the HTTP routes and the OpenAPI text are all derived from it.
 */
export interface Endpoint<Query extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  /** Below {base_url}, e.g. `/funding/history`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly query: Query;
  readonly answer: Answer;
  /** Seconds between two changes of the underlying data: nothing newer can be had sooner. */
  readonly cadence: number;
  /** The cadence of what a query asks for, if queries differ in it; `cadence` is then the shortest. */
  cadenceFor?(query: z.output<Query>): number;
  /** The list whose rows are hours, by their beginning. Some services list the hour that still runs. */
  readonly hours?: string;
  /** True for an endpoint that the interface does not list; a hosted service may lack it. */
  readonly extension?: boolean;
  /** The largest `limit` that every service accepts, where the interface gives no bound. */
  readonly safeLimit?: number;
}

/** Returns the seconds between two changes of what a parsed query asks for. */
export const cadenceOf = (endpoint: Endpoint, query: unknown): number =>
  endpoint.cadenceFor?.(query) ?? endpoint.cadence;

export const defineEndpoint = <Query extends z.ZodType, Answer extends z.ZodType>(
  endpoint: Endpoint<Query, Answer>,
): Endpoint<Query, Answer> => endpoint;

/** ISO 8601 UTC with milliseconds, e.g. `2026-01-01T00:00:00.000Z`. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A number sent as a decimal string, e.g. `"0.00010000"`. Stays a string. */
export const decimal = z.string().regex(/^-?\d+(\.\d+)?$/, 'must be a decimal string');

/** A price, or an amount of which there always is some. */
export const positive = z.number().gt(0);
export const positiveDecimal = z
  .string()
  .regex(/^(?=.*[1-9])\d+(\.\d+)?$/, 'must be a decimal string above 0');
/** An amount of which there may be none. */
export const amount = z.number().min(0);
/** A share of a whole, 0 to 1. */
export const fraction = z.number().min(0).max(1);
/** A rate of funding, a fraction of the position: no market settles all of it at once. */
export const fundingRate = z.number().min(-1).max(1);

/**
 * Trading pair, e.g. `BTCUSDT`; some are named in other scripts than Latin (`牛来USDT`). The service decides whether the
 * pair exists.
 */
export const pair = z
  .string()
  .trim()
  .normalize('NFC')
  .toUpperCase()
  .regex(/^[\p{L}\p{N}]{2,30}$/u, 'Invalid symbol');

/**
 * The end of the last hole of the window, which may also lie at its beginning: there is no row from before it, and most often
 * there will be none. Absent: the window has no hole. Not part of the interface.
 */
export const completeSince = timestamp.optional();

/** The short name of a venue of perpetuals, e.g. `hyperliquid`. */
export const venueName = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be the name of a venue');

/**
 * The query parameter that selects a venue; without it the primary venue is meant. The interface does not have this
 * parameter: a service that does not know it responds for the primary venue and names no venue.
 */
export const venueQuery = { venue: venueName.optional().meta({ 'x-extension': true }) };
/** The venue that a response is about: its short name, and its title for people. Present if the query named a venue. */
export const venueAnswer = { venue: z.string().optional(), title: z.string().optional() };

/**
 * A classification with known values. A reader accepts unknown values and passes them on (a fourth regime, for example).
 * Our own service writes only the known values, which the OpenAPI text lists as `x-known`.
 */
export const label = <const Known extends readonly string[]>(...known: Known) =>
  z
    .string()
    .min(1)
    .meta({ examples: [...known], 'x-known': known })
    .transform((value): Known[number] | (string & {}) => value);

/** Query numbers arrive as text over HTTP and as numbers from the typed client. */
const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number),
]);

/** A length of time in the unit that the parameter's name says: more than 0, at most `max`, fractions allowed. */
export const span = (defaultValue: number, max: number) =>
  numeric.pipe(z.number().gt(0).max(max)).default(defaultValue);

/** A number from `min` to `max`, both included. */
export const between = ({
  defaultValue,
  min,
  max,
}: {
  readonly defaultValue: number;
  readonly min: number;
  readonly max: number;
}) => numeric.pipe(z.number().min(min).max(max)).default(defaultValue);

/** A number of rows: an integer from 1 to `max`. */
export const limit = (defaultValue: number, max: number) =>
  numeric.pipe(z.int().min(1).max(max)).default(defaultValue);
