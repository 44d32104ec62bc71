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

/** A scalar inside a body, with the names that lead to it. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number | boolean;
}

/** How deep and how many scalars of a body are looked at. */
const maxLeafDepth = 4;
const maxLeaves = 500;

/** Returns the scalars of a body, those of outer objects first. Of a list of objects, the first is entered. */
export function leavesOf(body: HookBody): readonly Leaf[] {
  const leaves: Leaf[] = [];
  let level: { readonly path: readonly string[]; readonly body: HookBody }[] = [{ path: [], body }];
  for (let depth = 0; depth < maxLeafDepth && level.length > 0; depth += 1) {
    const deeper: typeof level = [];
    for (const each of level)
      for (const [name, value] of Object.entries(each.body)) {
        if (leaves.length + deeper.length >= maxLeaves) break;
        const path = [...each.path, name];
        const inner = Array.isArray(value) ? value[0] : value;
        if (isBody(inner)) deeper.push({ path, body: inner });
        else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
          leaves.push({ path, value });
      }
    level = deeper;
  }
  return leaves;
}

/** Returns names without what their spellings differ in: `marketPosition`, `market_position`, `strategy.market_position`. */
export const nameOf = (...names: readonly string[]): string =>
  names
    .join('')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** People put such fields into bodies to authenticate themselves, so they are never shown. */
const confidential =
  /secret|token|passw|passphrase|^pass$|pwd|apikey|auth(?!or)|signature|licen[cs]e|credential|private|^key$|^pin$|cookie|session|jwt|bearer/;
export const isConfidential = (name: string): boolean => confidential.test(nameOf(name));
