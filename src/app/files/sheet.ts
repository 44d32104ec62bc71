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

/** A YAML file whose values know where they stand. */
export interface Sheet {
  readonly value: unknown;
  /** Where the deepest part of the path begins that is there. */
  position(path: Path): { readonly line: number; readonly column: number };
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
  return {
    value,
    position(path) {
      let node: Node | null | undefined = document.contents;
      let begin = node?.range?.[0] ?? 0;
      for (const key of path) {
        if (isAlias(node)) node = node.resolve(document);
        const found = partOf(node, key);
        if (found === undefined) break;
        begin = (found.name ?? found.value)?.range?.[0] ?? begin;
        node = found.value;
      }
      return at(begin);
    },
  };
}

interface Part {
  /** Undefined in a list. */
  readonly name?: Node;
  readonly value: Node | undefined;
}

function partOf(node: Node | null | undefined, key: PropertyKey): Part | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(key)];
    return isNode(value) ? { value } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((each) => isScalar(each.key) && String(each.key.value) === String(key));
  if (pair === undefined || !isScalar(pair.key)) return undefined;
  return { name: pair.key, value: isNode(pair.value) ? pair.value : undefined };
}
