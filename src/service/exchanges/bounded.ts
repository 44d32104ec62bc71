import { isRefusal } from './failure.ts';

/**
 * Runs `work` on each item, at most `limit` at a time, and returns the items that failed with their errors. A failure does
 * not stop the other items, unless `stopOn` returns true for its error: then no further item is begun.
 */
export async function eachBounded<Item>(
  items: Iterable<Item>,
  {
    limit,
    work,
    stopOn = () => false,
  }: {
    readonly limit: number;
    readonly work: (item: Item) => Promise<void>;
    readonly stopOn?: ((error: unknown) => boolean) | undefined;
  },
): Promise<{ readonly item: Item; readonly error: unknown }[]> {
  const failures: { item: Item; error: unknown }[] = [];
  const remaining = items[Symbol.iterator]();
  let stopped = false;
  const worker = async () => {
    for (let next = remaining.next(); next.done !== true && !stopped; next = remaining.next()) {
      const item = next.value;
      await work(item).catch((error: unknown) => {
        failures.push({ item, error });
        stopped ||= stopOn(error);
      });
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return failures;
}

/**
 * Asks about each of the symbols and returns the rows of those that answered. A single symbol may not be traded at the venue.
 * @throws the first error, if the venue refused or no symbol gave a row
 */
export async function rowsOfEach<Row>(
  symbols: readonly string[],
  { limit, ask }: { readonly limit: number; readonly ask: (symbol: string) => Promise<readonly Row[]> },
): Promise<Row[]> {
  const rows: Row[] = [];
  const [first] = await eachBounded(symbols, {
    limit,
    stopOn: isRefusal,
    work: async (symbol) => void rows.push(...(await ask(symbol))),
  });
  if (first !== undefined && (rows.length === 0 || isRefusal(first.error))) throw first.error;
  return rows;
}
