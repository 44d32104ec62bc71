/**
 * Runs at most `most` works at a time, in the order of their calls. A work that follows another one begins only when that one
 * is wholly done, so that it sees what the other one has found out.
 */
export function createSlots(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
