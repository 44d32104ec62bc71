import { IntlMessageFormat } from 'intl-messageformat';

/**
 * An ICU message as the page uses it: its parts in order. Messages are parsed on the server, so that the browser needs
 * no parser, which would be as large as the page.
 */
export type Pattern = readonly (string | Part)[];
export type Part =
  | { readonly value: string }
  | { readonly number: string }
  /** The number of the surrounding plural. */
  | { readonly hash: true }
  | { readonly select: string; readonly of: Patterns }
  | { readonly plural: string; readonly type: PluralType; readonly offset: number; readonly of: Patterns };
type Patterns = Readonly<Record<string, Pattern>>;
type PluralType = 'cardinal' | 'ordinal';

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/**
 * Parses an ICU message.
 * @throws Error if the message is malformed, or contains what the page does not support: dates, and numbers with a
 * style
 */
export const patternOf = (message: string, locale: string): Pattern =>
  new IntlMessageFormat(message, locale, undefined, { ignoreTag: true }).getAst().map(toPart);

/** Converts an element; the parser identifies its kinds by number. */
function toPart(element: Element): string | Part {
  if (element.type === 0) return element.value;
  if (element.type === 1) return { value: element.value };
  if (element.type === 2 && !element.style) return { number: element.value };
  if (element.type === 5) return { select: element.value, of: patternsOf(element.options) };
  if (element.type === 6) {
    const { value: plural, offset, pluralType: type = 'cardinal', options } = element;
    return { plural, type, offset, of: patternsOf(options) };
  }
  if (element.type === 7) return { hash: true };
  throw new Error('a message of the page has values, plain numbers, choices and plurals alone');
}

const patternsOf = (options: Readonly<Record<string, { readonly value: readonly Element[] }>>): Patterns =>
  Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, value.map(toPart)]));
