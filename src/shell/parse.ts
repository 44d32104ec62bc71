import { UserError } from '../language/errors.ts';
import { listOf, msg, typed } from '../language/text.ts';
import { joiner } from '../runtime/links.ts';

/**
 * The most characters of a line. Settings to import need the most; a longer line is a mistake or an attack. A Telegram message
 * has 4,096 at most.
 */
export const maxLineLength = 4_000;

/**
 * The most words of a line: enough for the longest list and all other inputs. Each word is compared with all possible
 * names.
 */
const maxWords = 150;

export interface Word {
  readonly text: string;
  /** The key, if the word was `key=text`. */
  readonly key?: string;
}

export interface ParsedLine {
  readonly name: string;
  readonly words: readonly Word[];
}

/** Parses a line such as `/funding@bot symbol=btc "a b"` into its name and words. Throws UserError. */
export function parseLine(line: string): ParsedLine {
  if (line.length > maxLineLength) {
    throw new UserError(
      msg('A command has at most {most, number} characters; this one has {length, number}.', {
        most: maxLineLength,
        length: line.length,
      }),
    );
  }
  // A line that was copied from a chat may contain joiners.
  const plain = line.replaceAll(joiner, '').replaceAll(/[“”„]/g, '"');
  const [first, ...words] = split(plain.replace(/^\s*\//, ''));
  const name = first?.text.replace(/@.*$/, '') ?? '';
  if (name === '') {
    const examples = [
      typed('market'),
      typed('funding btc', 'funding symbol:btc'),
      typed('subscribe'),
      typed('help'),
    ];
    throw new UserError(msg('Type a command: {examples}.', { examples: listOf(examples) }));
  }
  return { name, words };
}

/** The key before a word in braces, with the white space before it. */
const beforeBrace = /\s*(?:([A-Za-z][\w-]*)=\s*)?(?=\{)/y;

/**
 * Returns where the word ends that begins with a brace: at the first white space outside of its braces, which may contain
 * others and texts in "…", as in JSON. Undefined if its braces do not match.
 */
function endOfBraces(line: string, from: number): number | undefined {
  const token = /"(?:[^"\\]|\\.)*"|[{}]|\s/gs;
  token.lastIndex = from;
  let depth = 0;
  for (let found = token.exec(line); found !== null; found = token.exec(line)) {
    const [text] = found;
    if (text === '{') depth += 1;
    else if (text === '}') depth -= 1;
    // Outside of braces a quotation mark is a character like any other.
    else if (depth === 0 && text.startsWith('"')) token.lastIndex = found.index + 1;
    else if (depth === 0) return found.index;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? line.length : undefined;
}

/**
 * Reads a word in braces where `word` stands, and moves it behind. Returns what `word` finds of other words; null if there is
 * none or its braces do not match.
 */
function braced(line: string, word: RegExp): readonly (string | undefined)[] | null {
  beforeBrace.lastIndex = word.lastIndex;
  const before = beforeBrace.exec(line);
  const end = before === null ? undefined : endOfBraces(line, beforeBrace.lastIndex);
  if (before === null || end === undefined) return null;
  word.lastIndex = end;
  return [line, before[1], undefined, undefined, line.slice(beforeBrace.lastIndex, end)];
}

/** Splits a line at white space, except within "…", '…' or {…}, which may follow `key=`, also after a space. */
function split(line: string): Word[] {
  const words: Word[] = [];
  const word = /\s*(?:([A-Za-z][\w-]*)=\s*)?(?:"([^"]*)"|'([^']*)'|(\{.*\}|\S*))(?=\s|$)/sy;
  const end = line.trimEnd().length;
  while (word.lastIndex < end) {
    const [, key, double, single, bare = ''] = braced(line, word) ?? word.exec(line) ?? [];
    if (/^["']/.test(bare)) {
      throw new UserError(msg('A quotation mark is not closed, or something follows it without a space.'));
    }
    const text = double ?? single ?? bare;
    // An empty value in quotation marks is meant: the input says what it stands for.
    if (text.trim() === '' && (key === undefined || (double ?? single) === undefined)) {
      throw new UserError(
        key === undefined
          ? msg('An input is empty: leave it out, or give it a value.')
          : msg('{key} is empty: leave it out, or give it a value.', { key }),
      );
    }
    words.push(key === undefined ? { text } : { key, text });
    if (words.length > maxWords) {
      throw new UserError(msg('A command has at most {most, number} words.', { most: maxWords }));
    }
  }
  return words;
}

/** Writes a line that `parseLine` reads as these inputs, an action without its key. Undefined if a value has both quotation marks. */
export function writeLine(name: string, inputs: Readonly<Record<string, unknown>>): string | undefined {
  const words = Object.entries(inputs).flatMap(([key, value]) =>
    value === undefined ? [] : [writeWord({ ...(key !== 'action' && { key }), text: String(value) })],
  );
  return words.includes(undefined) ? undefined : [name, ...words].join(' ');
}

/** Writes words as they may have been typed. */
export const typedWords = (words: readonly Word[]): string =>
  words.map((word) => writeWord(word) ?? word.text).join(' ');

function writeWord({ key, text }: Word): string | undefined {
  const before = key === undefined ? '' : `${key}=`;
  const looksKeyed = key === undefined && /^[A-Za-z][\w-]*=/.test(text);
  if (/^[^\s"'{“”„]+$/.test(text) && !looksKeyed) return `${before}${text}`;
  const quote = text.includes('"') ? "'" : '"';
  return text.includes(quote) || /[“”„]/.test(text) ? undefined : `${before}${quote}${text}${quote}`;
}
