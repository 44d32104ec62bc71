import { z } from 'zod';
import type { Clock } from '#src/runtime/clock.ts';
import type { Market } from '#src/service/simulation/market.ts';

/** One path of an upstream. `answer` returns the JSON value of the response. It never throws: the query is already checked. */
export interface Route<Query extends z.ZodType = z.ZodType> {
  readonly query: Query;
  /** Returns the weight of the request, which counts against the limit of the IP address. */
  readonly weight: (query: z.output<Query>) => number;
  readonly answer: (query: z.output<Query>, now: number) => unknown;
  /** Returns the parameter whose value is not valid at market time `now`, if there is one. */
  readonly refused: (query: z.output<Query>, now: number) => string | undefined;
}

/** Defines a route. The query's type is inferred here and then hidden, so that a table can hold routes of all queries. */
export const defineRoute = <Query extends z.ZodType>(
  query: Query,
  {
    answer,
    weight = 1,
    refused = () => undefined,
  }: {
    readonly answer: (query: z.output<Query>, now: number) => unknown;
    readonly weight?: number | ((query: z.output<Query>) => number) | undefined;
    readonly refused?: ((query: z.output<Query>, now: number) => string | undefined) | undefined;
  },
): Route => ({ query, answer, weight: typeof weight === 'number' ? () => weight : weight, refused }) as Route;

export type Routes = Readonly<Record<string, Route>>;

interface RouteReply {
  readonly status: number;
  readonly body: unknown;
  readonly weight: number;
}

/** Returns the body of an upstream's response to an invalid query, which has HTTP status 400. */
export type ErrorBodyOf = (parameter: string, given: string | undefined) => unknown;

export function reply(
  route: Route,
  {
    parameters,
    now,
    errorBody,
  }: { readonly parameters: URLSearchParams; readonly now: number; readonly errorBody: ErrorBodyOf },
): RouteReply {
  const parsed = route.query.safeParse(Object.fromEntries(parameters));
  const parameter = parsed.success
    ? route.refused(parsed.data, now)
    : String(parsed.error.issues[0]?.path[0] ?? '');
  if (!parsed.success || parameter !== undefined) {
    const given = parameters.get(parameter ?? '') ?? undefined;
    return { status: 400, body: errorBody(parameter ?? '', given), weight: 1 };
  }
  return { status: 200, body: route.answer(parsed.data, now), weight: route.weight(parsed.data) };
}

/** Schema of a name in a query; gives the value of that name. */
export const oneOf = <Value>(values: ReadonlyMap<string, Value>, message = 'Invalid symbol.') =>
  z.string().transform((name, context): Value => {
    const value = values.get(name);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/**
 * Returns a function that counts a request and says whether it is within the limit of `most` weight per `per` wall ms.
 * Requests beyond the limit are counted too.
 */
export function createRequestCounter(
  wall: Clock,
  { most, per }: { readonly most: number; readonly per: number },
) {
  const requests: { readonly at: number; readonly weight: number }[] = [];
  let total = 0;
  return (weight = 1): boolean => {
    const now = wall.now();
    while (requests[0] !== undefined && requests[0].at <= now - per) total -= requests.shift()?.weight ?? 0;
    requests.push({ at: now, weight });
    total += weight;
    return total <= most;
  };
}

/** What the simulation of a venue's REST API works with. */
export interface SimulatedRestOptions {
  readonly market: Market;
  /** The clock by which requests are counted. */
  readonly wall: Clock;
  /** Whether requests beyond the limits are refused. */
  readonly limited: boolean;
}

/** Returns the response to a request for a path below the venue's root. `now` is market ms. */
export type SimulatedVenueAnswers = (
  asked: { readonly path: string; readonly parameters: URLSearchParams },
  now: number,
) => SimulatedAnswer;

export interface SimulatedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const jsonAnswer = (status: number, value: unknown): SimulatedAnswer => ({
  status,
  body: JSON.stringify(value),
  headers: {},
});
