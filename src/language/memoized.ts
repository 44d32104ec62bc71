/** Making a format costs 50 µs and more. They are named in the sources, so that there are only so many. */
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
