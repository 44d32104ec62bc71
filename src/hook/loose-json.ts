/** How deep values may be nested; deeper bodies are refused. */
const maxDepth = 32;

/** A comment that never ends takes the rest: were its end looked for anew at each place, a body of 1 MB would take half a minute. */
const gap = /(?:\s|,|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))*/y;
const word = /(?:\{\{[^{}\n]*\}\}|[^\s,:{}[\]"'“”])(?:\{\{[^{}\n]*\}\}|[^,:{}[\]\n"“”]|:(?=\S))*/y;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** What languages print for a number that there is none of. */
export const noNumber = /^\s*(?:nan|[+-]?inf(?:inity)?|#?n\/a|-?1\.#\w+)\s*$/i;
const constants: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
};
const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '”': '”' };
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** What may follow a string. */
const afterString = /\s*(?:$|[,:}\]]|\/[/*])/y;
function endsString(text: string, from: number): boolean {
  afterString.lastIndex = from;
  return afterString.test(text);
}

class NotJson extends Error {
  override readonly name = 'NotJson';
}

/**
 * Reads the values of a text that is JSON, several JSON values, or almost JSON: with NaN or nothing in place of a number,
 * raw line ends and quotes inside a string, single quotes, names without quotes, commas too many, comments. What the text
 * means is never completed: if it ends too early, or is anything else, undefined is returned.
 */
export function readJson(text: string): readonly unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return readLoosely(text.startsWith('{\\"') ? text.replaceAll('\\"', '"') : text);
  }
}

function readLoosely(text: string): readonly unknown[] | undefined {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  /** A quote ends its string only where something follows that may follow a string. */
  const quoted = (quote: string): string => {
    const closing = closingQuotes[quote] ?? quote;
    let read = '';
    for (at += 1; at < text.length; at += 1) {
      const sign = text.charAt(at);
      if (sign === '\\') {
        at += 1;
        const escaped = text.charAt(at);
        const code = escaped === 'u' ? /^[0-9a-f]{4}/i.exec(text.slice(at + 1, at + 5))?.[0] : undefined;
        if (code !== undefined) at += 4;
        read +=
          code === undefined ? (escapes[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16));
      } else if ((sign === closing || sign === quote) && endsString(text, at + 1)) {
        at += 1;
        return read;
      } else read += sign;
    }
    throw new NotJson();
  };
  const bare = (): unknown => {
    const found = take(word).trim();
    if (found === '') throw new NotJson();
    if (Object.hasOwn(constants, found)) return constants[found];
    return noNumber.test(found) ? Number.NaN : number.test(found) ? Number(found) : found;
  };
  const value = (depth: number): unknown => {
    if (depth > maxDepth) throw new NotJson();
    const sign = text.charAt(at);
    if (sign in closingQuotes) return quoted(sign);
    if (sign === '[') return list(depth);
    return sign === '{' && text.charAt(at + 1) !== '{' ? object(depth) : bare();
  };
  const list = (depth: number): unknown[] => {
    const values: unknown[] = [];
    at += 1;
    for (take(gap); text.charAt(at) !== ']'; take(gap)) values.push(value(depth + 1));
    at += 1;
    return values;
  };
  const object = (depth: number): object => {
    const members: [string, unknown][] = [];
    at += 1;
    for (take(gap); text.charAt(at) !== '}'; take(gap)) {
      const sign = text.charAt(at);
      const name = sign in closingQuotes ? quoted(sign) : take(/[^\s,:{}[\]"'“”]+/y);
      take(/\s*/y);
      if (name === '' || text.charAt(at) !== ':') throw new NotJson();
      at += 1;
      take(/\s*/y);
      // A placeholder that the sender had no number for leaves nothing behind.
      const read = ',}'.includes(text.charAt(at)) ? Number.NaN : value(depth + 1);
      const rest = typeof read === 'number' ? take(/(?:,\d[\d.]*)+(?=\s*[,}])/y) : '';
      members.push([name, rest === '' ? read : `${read}${rest}`]);
    }
    at += 1;
    return Object.fromEntries(members);
  };
  try {
    const values: unknown[] = [];
    for (take(gap); at < text.length; take(gap)) {
      if (take(/[}\]\s]+$/y) !== '') break;
      if (!'{['.includes(text.charAt(at))) return undefined;
      values.push(value(0));
    }
    return values;
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}
