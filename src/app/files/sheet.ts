import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';

/** Where something is wrong, from 1, and what with its remedy. */
export interface Flaw {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export const flawText = ({ file, line, column, text }: Flaw): string => `${file}:${line}:${column}: ${text}`;

/** A path into a file’s values: names and, in lists, numbers. */
export type Path = readonly PropertyKey[];

/** Where a value begins, or its name where it has one, from 1; and its parts, by name or number. */
interface Spot {
  readonly line: number;
  readonly column: number;
  readonly parts?: ReadonlyMap<string, Spot>;
}

/** A YAML file whose values know where they stand: plain values, so that it can be opened in another thread. */
export interface Sheet {
  readonly value: unknown;
  readonly spot: Spot;
}

/** Where the deepest part of the path begins that is there. */
export function positionIn({ spot }: Sheet, path: Path): Pick<Flaw, 'line' | 'column'> {
  let deepest = spot;
  for (const key of path) {
    const part = deepest.parts?.get(String(key));
    if (part === undefined) break;
    deepest = part;
  }
  const { line, column } = deepest;
  return { line, column };
}

/** The file, or what keeps it from being one. */
export function openSheet(file: string, text: string): Sheet | readonly Flaw[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error', prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return document.errors.map(({ pos: [offset], message }) => ({
      file,
      ...at(offset),
      text: `not valid YAML: ${message.split('\n')[0]}`,
    }));
  let value: unknown;
  try {
    value = document.toJS();
  } catch (cause) {
    // An alias without its anchor, or one that would be far too much.
    if (!(cause instanceof ReferenceError)) throw cause;
    return [{ file, line: 1, column: 1, text: `not valid YAML: ${cause.message}` }];
  }

  /** Of each list and each set of names, once: an alias has those of what it stands for. */
  const known = new Map<Node, Map<string, Spot>>();
  const partsOf = (node: Node | null | undefined): ReadonlyMap<string, Spot> | undefined => {
    const meant = isAlias(node) ? node.resolve(document) : node;
    if (!isSeq(meant) && !isMap(meant)) return undefined;
    const before = known.get(meant);
    if (before !== undefined) return before;
    const parts = new Map<string, Spot>();
    known.set(meant, parts);
    const add = (key: unknown, { name, value }: { readonly name?: Node; readonly value: unknown }) => {
      const node = isNode(value) ? value : undefined;
      if (!parts.has(String(key))) parts.set(String(key), spotOf(node, (name ?? node)?.range?.[0]));
    };
    if (isSeq(meant)) for (const [index, item] of meant.items.entries()) add(index, { value: item });
    else for (const { key, value } of meant.items) if (isScalar(key)) add(key.value, { name: key, value });
    return parts;
  };
  const spotOf = (node: Node | null | undefined, begin = node?.range?.[0] ?? 0): Spot => {
    const parts = partsOf(node);
    return { ...at(begin), ...(parts !== undefined && { parts }) };
  };
  return { value, spot: spotOf(document.contents) };
}
