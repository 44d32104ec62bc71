/**
 * Runs `work` on each item, at most `limit` at a time, and returns the items that failed with their errors. A failure does
 * not stop the other items, unless `ends` returns true for its error: then no further item is begun.
 */
export async function eachBounded<Item>(
  items: Iterable<Item>,
  {
    limit,
    work,
    ends = () => false,
  }: {
    readonly limit: number;
    readonly work: (item: Item) => Promise<void>;
    readonly ends?: ((error: unknown) => boolean) | undefined;
  },
): Promise<{ readonly item: Item; readonly error: unknown }[]> {
  const failures: { item: Item; error: unknown }[] = [];
  const rest = items[Symbol.iterator]();
  let ended = false;
  const worker = async () => {
    for (let next = rest.next(); next.done !== true && !ended; next = rest.next()) {
      const item = next.value;
      await work(item).catch((error: unknown) => {
        failures.push({ item, error });
        ended ||= ends(error);
      });
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return failures;
}
