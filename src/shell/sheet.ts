import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLParseError,
} from 'yaml';

/** Something that is wrong in a file. Line and column count from 1; the text includes the remedy. */
export interface Flaw {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export const flawText = ({ file, line, column, text }: Flaw): string => `${file}:${line}:${column}: ${text}`;

/** A path to a value in a file: names, and numbers within lists. */
export type Path = readonly PropertyKey[];

/** Where a value begins, or its name if it has one, from 1. `parts` has the positions of its parts by name or number. */
interface Spot {
  readonly line: number;
  readonly column: number;
  readonly parts?: ReadonlyMap<string, Spot>;
}

/** A YAML file's value with the positions of its parts. Plain data, so that another thread can create it. */
export interface Sheet {
  readonly value: unknown;
  readonly spot: Spot;
}

/** Returns where the deepest existing part of the path begins. */
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

/** Keeps the digits of an id that was written without quotation marks and is larger than the numbers that are exact. */
function exactNumber(_: unknown, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Parses a file. Returns its flaws if it is not valid YAML. */
export function openSheet(file: string, text: string): Sheet | readonly Flaw[] {
  const lines = new LineCounter();
  const options = { lineCounter: lines, logLevel: 'error', prettyErrors: false, intAsBigInt: true } as const;
  const document = parseDocument(text, options);
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.length > 0)
    return [...Map.groupBy(document.errors, ({ pos: [offset] }) => lines.linePos(offset).line).values()].map(
      // The further ones of a line follow from its first.
      ([error]) => {
        const {
          pos: [offset],
          message,
          code,
        } = error as YAMLParseError;
        const isTab = /^ *\t/.test(text.slice(text.lastIndexOf('\n', offset - 1) + 1));
        const remedy =
          code === 'MULTIPLE_DOCS'
            ? 'write one list in a file, without a line "---" within it'
            : isTab
              ? 'indent with spaces, not with tabs'
              : message.split('\n')[0];
        return { file, ...at(offset), text: `not valid YAML: ${remedy}` };
      },
    );
  let value: unknown;
  try {
    value = document.toJS({ reviver: exactNumber });
  } catch (cause) {
    // An alias without its anchor, or aliases that would expand to far too much.
    if (!(cause instanceof ReferenceError)) throw cause;
    return [{ file, line: 1, column: 1, text: `not valid YAML: ${cause.message}` }];
  }

  /** The parts of each list and each map, computed once. An alias has the parts of the node that it stands for. */
  const partsByNode = new Map<Node, Map<string, Spot>>();
  const partsOf = (node: Node | null | undefined): ReadonlyMap<string, Spot> | undefined => {
    const meant = isAlias(node) ? node.resolve(document) : node;
    if (!isSeq(meant) && !isMap(meant)) return undefined;
    const knownParts = partsByNode.get(meant);
    if (knownParts !== undefined) return knownParts;
    const parts = new Map<string, Spot>();
    partsByNode.set(meant, parts);
    const add = (key: unknown, { name, value }: { readonly name?: Node; readonly value: unknown }) => {
      const node = isNode(value) ? value : undefined;
      parts.getOrInsertComputed(String(key), () => spotOf(node, (name ?? node)?.range?.[0]));
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
