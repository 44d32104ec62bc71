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
