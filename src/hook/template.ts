/** A JSON object in the body of a request. */
export type HookBody = Readonly<Record<string, unknown>>;

export const isBody = (value: unknown): value is HookBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How many levels of a body a template can reach. */
const maxDepth = 8;

/**
 * Returns the value at a path such as `labels.symbol`. A name that itself contains dots is found too:
 * `strategy.order.action`.
 */
export function valueAt(body: unknown, path: string): unknown {
  const names = path.split('.').slice(0, maxDepth);
  const at = (value: unknown, from: number): unknown => {
    if (from === names.length) return value;
    if (typeof value !== 'object' || value === null) return undefined;
    for (let to = names.length; to > from; to -= 1) {
      const name = names.slice(from, to).join('.');
      if (!Object.hasOwn(value, name)) continue;
      const found = at((value as HookBody)[name], to);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return at(body, 0);
}

/** Fills a template with values of the body. A missing value becomes an empty text. */
export const fill = (template: string, body: unknown): string =>
  template.replaceAll(/\{\{?\s*([^{}\s][^{}]{0,99}?)\s*\}\}?/g, (_, path: string) => {
    const value = valueAt(body, path);
    return typeof value === 'object' || value === undefined ? '' : String(value);
  });

/** Returns the values that a plain text offers to a template: `{1}` is its first word, `{text}` the whole text. */
export const wordsOf = (text: string): HookBody => ({
  ...Object.fromEntries(
    text
      .split(/\s+/)
      .slice(0, 20)
      .map((word, index) => [String(index + 1), word]),
  ),
  text,
});
