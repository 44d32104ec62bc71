import { contract, type Endpoint } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';

/** What a query names and its response repeats. A cache on the way may keep one response for all queries of a path. */
const repeated = ['symbol', 'currency', 'type'] as const;
/** The interface's lists by time that begin with the newest row. */
const newestFirst: readonly Endpoint[] = [contract.regimeHistory, contract.liquidations];

type Row = Readonly<Record<string, unknown>>;

/**
 * Returns a parsed response with its rows in our service's order, each of them once: the interface does not order all of its
 * lists by time, which are those of a market or a length. Of two rows of one time the later one counts, except of events.
 * @throws ApiError if it answers another question
 */
export function asAsked(endpoint: Endpoint, asked: URLSearchParams, answer: unknown): unknown {
  const given = answer as Row;
  const other = repeated.find((name) => isOther(asked.get(name), given[name]));
  if (other !== undefined)
    throw new ApiError(endpoint.path, 'malformed', `the answer is of another ${other}`, { field: other });
  const areEvents = endpoint === contract.liquidations;
  const isByTime = areEvents || ['symbol', 'hours', 'days'].some((name) => asked.has(name));
  if (endpoint.extension === true || !isByTime || !Array.isArray(given.data)) return answer;
  const rows = (given.data as Row[]).filter(({ symbol }) => !isOther(asked.get('symbol'), symbol));
  const timeOf = ({ timestamp, event_time }: Row) => String(timestamp ?? event_time);
  const byKey = new Map(rows.map((row) => [areEvents ? JSON.stringify(row) : timeOf(row), row]));
  const sign = newestFirst.includes(endpoint) ? -1 : 1;
  const byTime = (a: Row, b: Row) => (timeOf(a) < timeOf(b) ? -sign : timeOf(a) > timeOf(b) ? sign : 0);
  return { ...given, data: [...byKey.values()].sort(byTime) };
}

const isOther = (asked: string | null, given: unknown): boolean =>
  asked !== null && typeof given === 'string' && given.normalize('NFC').toUpperCase() !== asked.toUpperCase();
