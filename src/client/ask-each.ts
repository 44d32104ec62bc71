import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';

/** The most requests of one `askEach` that are under way at a time. */
const maxConcurrent = 4;

/** The markets that the rest of the market is measured against. */
const majors: readonly string[] = ['BTCUSDT', 'ETHUSDT'];

/**
 * Chooses at most `max` symbols for an endpoint that takes one request per symbol, if the budget does not allow a request
 * for every symbol: those in `first`, then the majors, then the market's movers. A caller that follows symbols over time
 * names the ones it follows already in `first`. Otherwise, as movers change, it would keep meeting symbols for the first
 * time.
 * @throws ApiError if the movers cannot be obtained and `first` is empty
 */
export async function chooseSymbols(
  max: number,
  {
    first,
    data,
    signal,
  }: {
    readonly first: readonly string[];
    readonly data: Pick<DataClient, 'marketOverview'>;
    readonly signal: AbortSignal;
  },
): Promise<string[]> {
  const preferred = [...new Set(first)].slice(0, max);
  if (preferred.length === max) return preferred;
  const overview = await data.marketOverview({}, signal).catch((error: unknown) => {
    if (error instanceof ApiError && preferred.length > 0) return undefined;
    throw error;
  });
  const strongestFirst = overview?.coins.toSorted(
    (a, b) => Math.abs(b.signal) - Math.abs(a.signal) || (a.symbol < b.symbol ? -1 : 1),
  );
  const movers = strongestFirst?.map(({ symbol }) => symbol) ?? [];
  const knownMajors = majors.filter((symbol) => movers.includes(symbol));
  return [...new Set([...preferred, ...knownMajors, ...movers])].slice(0, max);
}

/** Returns whether the service refused a request as invalid, as it does with a market that it does not track. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'invalid_request';

/**
 * Calls `ask` for each name in the given order. A name whose request is refused as invalid or whose response is malformed
 * is left out. After any other error no further names are requested.
 * @throws the first error if no name got a response
 */
export async function askEach<Name extends string, Value>(
  names: readonly Name[],
  ask: (name: Name) => Promise<Value>,
): Promise<ReadonlyMap<Name, Value>> {
  const answers = new Map<Name, Value>();
  const queue = names.values();
  let blocked = false;
  let failure: unknown;
  const askFromQueue = async () => {
    for (const name of queue) {
      if (blocked) return;
      try {
        answers.set(name, await ask(name));
      } catch (error) {
        const isRequestFault =
          error instanceof ApiError && ['invalid_request', 'malformed'].includes(error.reason);
        if (!isRequestFault) blocked = true;
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, askFromQueue));
  if (answers.size === 0 && failure !== undefined) throw failure;
  return answers;
}
