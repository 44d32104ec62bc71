/**
 * A text for people, before it is translated. It consists of plain values, so that it can be stored as JSON: an alert
 * is stored with such texts and translated for each receiver. A bare string is not translated: a symbol, a name that a
 * person gave.
 */
export type Text = string | Message | Quantity | Instant | Span | Label | Joined | Listed | Typed;

/** An ICU message in English, which is also its key in the catalogues. */
export interface Message {
  readonly message: string;
  readonly values: Values;
  /**
   * Distinguishes messages that are equal in English but not in other languages (msgctxt in gettext): the `Rate` of
   * funding.
   */
  readonly context?: string;
}
export type Values = Readonly<Record<string, Text | number>>;

export interface Quantity {
  readonly number: number;
  readonly as: Intl.NumberFormatOptions;
}

/** A time, market ms; written in the reader's time zone. */
export interface Instant {
  readonly time: number;
  /** Only its hour of the week is written. */
  readonly weekly?: true;
}

/** A length of time, ms. */
interface Span {
  readonly span: number;
}

/** A label of the contract or of this program: `RISK_OFF`. A label that is in no catalogue is shown by its own name. */
export interface Label {
  readonly label: string;
  /** True if the label begins a line or stands alone. */
  readonly capital: boolean;
}

interface Joined {
  readonly parts: readonly Text[];
  readonly by: string;
}

/** A list of things, separated as the language separates them: `BTC, ETH`, `BTC、ETH`. */
interface Listed {
  readonly list: readonly Text[];
}

/** A command line, shown as the reader would type it: `/help` where the slash makes it a link. */
export interface Typed {
  readonly typed: string;
  /**
   * The line where inputs are options that are filled in, without a slash: `funding symbol:btc`. The default is
   * `typed`.
   */
  readonly filled?: string;
}

/**
 * Makes a message, which is the only way to use words in a text. `message` must be a literal at the call: a test reads
 * the sources to find the messages that the catalogues must have.
 */
export const msg = (message: string, values: Values = {}): Message => ({ message, values });

/** Makes a message that needs a context to be translated; its key in the catalogues is `context|message`. */
export const msgIn = (context: string, message: string, values: Values = {}): Message => ({
  message,
  values,
  context,
});

/** Joins parts; those that are undefined or empty are left out. */
export const join = (parts: readonly (Text | undefined)[], by: string): Text => ({
  parts: parts.filter((part): part is Text => part !== undefined && part !== ''),
  by,
});

/**
 * Makes a text that shows a command line.
 * @param line a command with its inputs, without a slash
 * @param filled the same line where each input is an option with its name
 */
export const typed = (line: string, filled?: string): Text => ({
  typed: line,
  ...(filled !== undefined && { filled }),
});

/** Returns the values that a text consists of, in its messages and lists too: its times, labels, command lines … */
export function valuesIn(text: Text): readonly Exclude<Text, string | Message | Joined | Listed>[] {
  if (typeof text === 'string') return [];
  if ('list' in text) return text.list.flatMap(valuesIn);
  if ('parts' in text) return text.parts.flatMap(valuesIn);
  if (!('message' in text)) return [text];
  return Object.values(text.values).flatMap((value) => (typeof value === 'number' ? [] : valuesIn(value)));
}

export const listOf = (parts: readonly Text[]): Text => ({ list: parts });

export const lines = (...parts: readonly (Text | undefined)[]): Text => join(parts, '\n');
