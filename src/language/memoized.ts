/**
 * Caches the results of a function that creates a format or looks through all languages, which costs 50 µs and more. The cache is not bounded: the
 * arguments come from the sources, so there are only a limited number of them.
 */
export const memoized = <Args extends readonly unknown[], Result>(make: (...args: Args) => Result) => {
  const made = new Map<string, Result>();
  return (...args: Args): Result => {
    const key = JSON.stringify(args);
    const known = made.get(key);
    if (known !== undefined) return known;
    const result = make(...args);
    made.set(key, result);
    return result;
  };
};
