import { UserError } from '../language/errors.ts';
import { listOf, msg, typed } from '../language/text.ts';

/**
 * The most characters of a line. Settings to import need the most; a longer line is a mistake or an attack. A Telegram message
 * has 4,096 at most.
 */
const maxLength = 4_000;

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
  if (line.length > maxLength) {
    throw new UserError(
      msg('A command has at most {most, number} characters; this one has {length, number}.', {
        most: maxLength,
        length: line.length,
      }),
    );
  }
  const [first, ...words] = split(line.replaceAll(/[“”„]/g, '"').replace(/^\s*\//, ''));
  const name = first?.text.replace(/@.*$/, '') ?? '';
  if (name === '') {
    const examples = ['market', 'funding btc', 'subscribe', 'help'].map((line) => typed(line));
    throw new UserError(msg('Type a command: {examples}.', { examples: listOf(examples) }));
  }
  return { name, words };
}

/** Splits a line at white space, except within "…", '…' or {…}, which may follow `key=`, also after a space. */
function split(line: string): Word[] {
  const words: Word[] = [];
  const word = /\s*(?:([A-Za-z][\w-]*)=\s*)?(?:"([^"]*)"|'([^']*)'|(\{.*\}|\S*))(?=\s|$)/sy;
  const end = line.trimEnd().length;
  while (word.lastIndex < end) {
    const [, key, double, single, bare = ''] = word.exec(line) ?? [];
    if (/^["']/.test(bare)) {
      throw new UserError(msg('A quotation mark is not closed, or something follows it without a space.'));
    }
    const text = double ?? single ?? bare;
    if (text.trim() === '') {
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

/** Writes a line that `parseLine` reads as these inputs. Undefined if there is none: a value has both quotation marks. */
export function writeLine(name: string, inputs: Readonly<Record<string, unknown>>): string | undefined {
  const words = Object.entries(inputs).flatMap(([key, value]) =>
    value === undefined ? [] : [writeWord({ key, text: String(value) })],
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
