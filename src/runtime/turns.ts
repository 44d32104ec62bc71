/**
 * Returns a function that runs all work of one key one after the other, in the order of the calls; no key waits for another.
 * Work that fails rejects its own call alone.
 */
export function createTurns<Key>() {
  const lastByKey = new Map<Key, Promise<unknown>>();
  return async <Result>(key: Key, work: () => Promise<Result>): Promise<Result> => {
    const turn = (lastByKey.get(key) ?? Promise.resolve()).catch(() => {}).then(work);
    lastByKey.set(key, turn);
    try {
      return await turn;
    } finally {
      if (lastByKey.get(key) === turn) lastByKey.delete(key);
    }
  };
}
