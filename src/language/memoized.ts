/** What is known of the arguments so far: the result for them, and what is known for a further one, by its text. */
interface Known<Result> {
  result?: Result;
  readonly further: Map<string, Known<Result>>;
}

/**
 * Caches the results of a function that creates a format or looks through all languages, which costs 50 µs and more. The cache is not bounded: the
 * arguments come from the sources, so there are only a limited number of them. It is looked up argument by argument: a
 * text for all of them would take longer to make than what is said with the result.
 */
export const memoized = <Args extends readonly unknown[], Result extends {}>(
  make: (...args: Args) => Result,
) => {
  const made: Known<Result> = { further: new Map() };
  return (...args: Args): Result => {
    let known = made;
    for (const arg of args) {
      const text = typeof arg === 'string' ? arg : JSON.stringify(arg);
      let next = known.further.get(text);
      if (next === undefined) {
        next = { further: new Map() };
        known.further.set(text, next);
      }
      known = next;
    }
    known.result ??= make(...args);
    return known.result;
  };
};
