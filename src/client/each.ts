import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';

/** How many questions of one kind are under way at a time. */
const atOnce = 4;

/** What the rest of the market is measured against. */
const majors: readonly string[] = ['BTCUSDT', 'ETHUSDT'];

/**
 * The symbols worth asking about where a request is one symbol's and there are not requests for all: those of
 * `first`, then the majors, then the market's movers; at most `max`. Whoever follows symbols over time names those
 * it follows already in `first`: movers change, and one that comes and goes is only ever met for the first time.
 * @throws ApiError where the movers cannot be had and `first` names none
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
 * Asks about each name in order of importance, until something stands in the way of them all. A name that is
 * refused or answered wrongly is its own matter and left out.
 * @throws ApiError where nothing was had
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
