import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';

/** The most requests of one `askEach` that are under way at a time. */
const atOnce = 4;

/** The markets that the rest of the market is measured against. */
const majors: readonly string[] = ['BTCUSDT', 'ETHUSDT'];

/**
 * Chooses at most `max` symbols for an endpoint that takes one request per symbol, if the budget does not allow a request
 * for every symbol: those in `first`, then the majors, then the market's movers. A caller that follows symbols over time
 * names the ones it follows already in `first`. Otherwise, as movers change, it would keep meeting symbols for the first
 * time.
 * @throws ApiError if the movers cannot be obtained and `first` is empty
 */
export async function symbolsWithin(
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
  const named = [...new Set(first)].slice(0, max);
  if (named.length === max) return named;
  const overview = await data.marketOverview({}, signal).catch((error: unknown) => {
    if (error instanceof ApiError && named.length > 0) return undefined;
    throw error;
  });
  const movers = overview?.coins.map(({ symbol }) => symbol) ?? [];
  const offered = majors.filter((symbol) => movers.includes(symbol));
  return [...new Set([...named, ...offered, ...movers])].slice(0, max);
}

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
  const askOne = async () => {
    for (const name of queue) {
      if (blocked) return;
      try {
        answers.set(name, await ask(name));
      } catch (error) {
        const own = error instanceof ApiError && ['invalid_request', 'malformed'].includes(error.reason);
        if (!own) blocked = true;
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOne));
  if (answers.size === 0 && failure !== undefined) throw failure;
  return answers;
}
