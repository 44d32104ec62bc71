/** A body as JSON has it. */
export type HookBody = Readonly<Record<string, unknown>>;

export const isBody = (value: unknown): value is HookBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deeper no template reaches. */
const deepest = 8;

/** What stands at a path: `labels.symbol`; names with dots are found as they are written, too: `strategy.order.action`. */
export function valueAt(body: unknown, path: string): unknown {
  const names = path.split('.').slice(0, deepest);
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

/** A template with the values of this body in it. What the body lacks is nothing. */
export const fill = (template: string, body: unknown): string =>
  template.replaceAll(/\{\{?\s*([^{}\s][^{}]{0,99}?)\s*\}\}?/g, (_, path: string) => {
    const value = valueAt(body, path);
    return typeof value === 'object' || value === undefined ? '' : String(value);
  });

/** Words of a text are its values too: `{1}` is the first, `{text}` the whole. */
export const wordsOf = (text: string): HookBody => ({
  ...Object.fromEntries(
    text
      .split(/\s+/)
      .slice(0, 20)
      .map((word, index) => [String(index + 1), word]),
  ),
  text,
});
