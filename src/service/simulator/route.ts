import type { z } from 'zod';

/** One path of an upstream. `answer` gives the JSON value, or throws nothing: the query has been checked. */
export interface Route<Query extends z.ZodType = z.ZodType> {
  readonly query: Query;
  /** What the exchange counts for it against the address's limit. */
  readonly weight: (query: z.output<Query>) => number;
  readonly answer: (query: z.output<Query>, now: number) => unknown;
}

/** Infers the query's type of one route; the table holds them as `Route`. */
export const defineRoute = <Query extends z.ZodType>(
  query: Query,
  {
    answer,
    weight = 1,
  }: {
    readonly answer: (query: z.output<Query>, now: number) => unknown;
    readonly weight?: number | ((query: z.output<Query>) => number) | undefined;
  },
): Route => ({ query, answer, weight: typeof weight === 'number' ? () => weight : weight }) as Route;

export type Routes = Readonly<Record<string, Route>>;

export interface RouteReply {
  readonly status: number;
  readonly body: unknown;
  readonly weight: number;
}

/** An upstream's words for a query that is not as documented: HTTP status 400 and this body. */
export type Complaint = (parameter: string, given: string | undefined) => unknown;

export function reply(
  route: Route,
  {
    parameters,
    now,
    complaint,
  }: { readonly parameters: URLSearchParams; readonly now: number; readonly complaint: Complaint },
): RouteReply {
  const parsed = route.query.safeParse(Object.fromEntries(parameters));
  if (!parsed.success) {
    const parameter = String(parsed.error.issues[0]?.path[0] ?? '');
    return { status: 400, body: complaint(parameter, parameters.get(parameter) ?? undefined), weight: 1 };
  }
  return { status: 200, body: route.answer(parsed.data, now), weight: route.weight(parsed.data) };
}
