/**
 * What a person reads, before it is in their language. Plain values, so that it survives JSON: an alert is kept so
 * and told to each receiver in their own. A bare string is said as it is: a symbol, a name someone gave.
 */
export type Text = string | Message | Quantity | Instant | Span | Label | Joined | Listed | Typed;

/** An ICU message in English, which is also the key under which the catalogues hold it. */
export interface Message {
  readonly message: string;
  readonly values: Values;
  /** Tells apart what English says in one word and others do not, as gettext's msgctxt: the `Rate` of funding. */
  readonly context?: string;
}
export type Values = Readonly<Record<string, Text | number>>;

export interface Quantity {
  readonly number: number;
  readonly as: Intl.NumberFormatOptions;
}

/** Market ms, said in the reader's time zone. */
export interface Instant {
  readonly time: number;
}

/** A length of time, ms. */
export interface Span {
  readonly span: number;
}

/** A label of the contract or of ours: `RISK_OFF`. One no catalogue knows is said in its own words. */
export interface Label {
  readonly label: string;
  /** True where it begins a line or stands alone. */
  readonly capital: boolean;
}

export interface Joined {
  readonly parts: readonly Text[];
  readonly by: string;
}

/** Things of a kind one after the other, as the language separates them: `BTC, ETH`, `BTC、ETH`. */
export interface Listed {
  readonly list: readonly Text[];
}

/** A line to type, as it is typed where it is read: `/help` where the slash makes it a link. */
export interface Typed {
  readonly typed: string;
  /** Where inputs are options that one fills in, without a slash: `funding symbol:btc`. Left out: the same line. */
  readonly filled?: string;
}

/**
 * The only way to say something in words. `message` is written out where it is called, never put together: a test
 * reads the sources for what the catalogues must hold.
 */
export const msg = (message: string, values: Values = {}): Message => ({ message, values });

/** A word that needs its context to be translated; the catalogues hold it under `context|message`. */
// biome-ignore lint/complexity/useMaxParams: as msg has it: the words, then their values
export const msgIn = (context: string, message: string, values: Values = {}): Message => ({
  message,
  values,
  context,
});

/** Parts that are nothing are left out. */
export const join = (parts: readonly (Text | undefined)[], by: string): Text => ({
  parts: parts.filter((part): part is Text => part !== undefined && part !== ''),
  by,
});

/**
 * @param line a command with its inputs, without a slash
 * @param filled the same where each input is an option with its name
 */
export const typed = (line: string, filled?: string): Text => ({
  typed: line,
  ...(filled !== undefined && { filled }),
});

/** All moments that are said in it, market ms. */
export function momentsIn(text: Text): readonly number[] {
  if (typeof text === 'string') return [];
  if ('time' in text) return [text.time];
  if ('list' in text) return text.list.flatMap(momentsIn);
  if ('parts' in text) return text.parts.flatMap(momentsIn);
  if (!('message' in text)) return [];
  return Object.values(text.values).flatMap((value) => (typeof value === 'number' ? [] : momentsIn(value)));
}

export const listOf = (parts: readonly Text[]): Text => ({ list: parts });

export const lines = (...parts: readonly (Text | undefined)[]): Text => join(parts, '\n');
