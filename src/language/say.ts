import { IntlMessageFormat } from 'intl-messageformat';
import { formatDuration } from '../runtime/units.ts';
import { catalogueOf, dateLocaleOf, english, type Language, localeOf } from './languages.ts';
import type { ChartTheme } from './preferences.ts';
import type { Message, Quantity, Text, Typed } from './text.ts';

export interface Reader {
  readonly language: Language;
  /** IANA name. */
  readonly timeZone: string;
  /** How their charts are drawn: dark, which reads well on both of a phone's themes, where they have not said. */
  readonly theme?: ChartTheme;
  /** Commands begin with a slash where they read, which can be tapped there; `options`: and inputs are its options. */
  readonly slash?: boolean | 'options';
}

/** Who reads where nobody said otherwise; logs and the replay too. */
export const plainReader: Reader = { language: english, timeZone: 'UTC' };

/** A text in its reader's language. What no catalogue holds is said in English. */
export function say(text: Text, reader: Reader): string {
  if (typeof text === 'string') return text;
  if ('message' in text) return sayMessage(text, reader);
  if ('number' in text) return sayNumber(text, reader.language);
  if ('time' in text) return sayTime(text.time, reader);
  if ('span' in text) return saySpan(text.span, reader.language);
  if ('label' in text) return sayLabel(text.label, { capital: text.capital, language: reader.language });
  if ('typed' in text) return sayTyped(text, reader);
  if ('list' in text) return listFormat(reader.language).format(text.list.map((part) => say(part, reader)));
  const parts = text.parts.map((part) => say(part, reader));
  return text.by === ' ' ? sentences(parts, reader.language) : parts.join(text.by);
}

/** One after the other: with a space between them, but for those that end with what needs none. */
function sentences(parts: readonly string[], language: Language): string {
  const { noSpaceAfter } = catalogueOf(language).about;
  const [first = '', ...rest] = parts;
  return rest.reduce(
    (before, part) => before + (noSpaceAfter.includes(before.at(-1) ?? ' ') ? '' : ' ') + part,
    first,
  );
}

function sayTyped({ typed, filled = typed }: Typed, { slash = false }: Reader): string {
  if (slash === false) return typed;
  return slash === 'options' ? `/${filled.replaceAll(/(\w)=/g, '$1:')}` : `/${typed}`;
}

function sayMessage({ message, values, context }: Message, reader: Reader): string {
  const said = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : say(value, reader),
    ]),
  );
  const { language } = reader;
  const key = context === undefined ? message : `${context}|${message}`;
  const own = catalogueOf(language).messages.get(key);
  return own === undefined
    ? String(messageFormat(english, message).format(said))
    : String(messageFormat(language, own).format(said));
}

/** Compiling one costs 50 µs and more. Messages are written in the sources, so that there are only so many. */
const memoized = <Args extends readonly unknown[], Result>(make: (...args: Args) => Result) => {
  const made = new Map<string, Result>();
  return (...args: Args): Result => {
    const key = JSON.stringify(args);
    const known = made.get(key);
    if (known !== undefined) return known;
    const result = make(...args);
    made.set(key, result);
    return result;
  };
};

const messageFormat = memoized(
  (language: Language, message: string) =>
    // Tags are none of ours: `<` in a message is a `<`.
    new IntlMessageFormat(message, localeOf(language), undefined, { ignoreTag: true }),
);

const numberFormat = memoized(
  (language: Language, as: Intl.NumberFormatOptions) => new Intl.NumberFormat(localeOf(language), as),
);

/** With a minus, where Intl writes a hyphen: `-1.2%` breaks after its sign and looks like a list. */
const sayNumber = (quantity: Quantity, language: Language): string =>
  inDigits(quantity, language).replace('-', '\u2212');

/** With the language's own word for 10⁹ where it has one: Intl would count in millions, and then in 10¹². */
function inDigits({ number, as }: Quantity, language: Language): string {
  const format = numberFormat(language, as);
  const { billions } = catalogueOf(language).about;
  const size = Math.abs(number);
  if (billions === undefined || as.notation !== 'compact' || size < 999.5e6 || size >= 999.5e9)
    return format.format(number);
  return format
    .formatToParts(number / 1e3)
    .map(({ type, value }) => (type === 'compact' ? billions : value))
    .join('');
}

const listFormat = memoized(
  (language: Language) => new Intl.ListFormat(localeOf(language), { type: 'conjunction', style: 'narrow' }),
);

const clock = memoized(
  (language: Language, timeZone: string) =>
    new Intl.DateTimeFormat(dateLocaleOf(language), {
      timeZone,
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
);

/** The zone last, where Chinese would have it between date and time. */
function sayTime(at: number, { language, timeZone }: Reader): string {
  const parts = clock(language, timeZone).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName');
  const rest = parts.filter((part) => part !== zone).map(({ value }) => value);
  const own = catalogueOf(language).about.zones.get(timeZone);
  return `${rest.join('').trim().replace(/ {2,}/, ' ')} ${own ?? zone?.value ?? timeZone}`;
}

function saySpan(ms: number, language: Language): string {
  const { units } = catalogueOf(language).about;
  // biome-ignore lint/complexity/useMaxParams: the shape is replaceAll’s
  return formatDuration(ms).replaceAll(/(\d+) (d|h|min|s)\b/g, (_, size: string, unit: keyof typeof units) =>
    units[unit].replace('#', size),
  );
}

function sayLabel(
  label: string,
  { capital, language }: { readonly capital: boolean; readonly language: Language },
): string {
  const [own, plain] = [language, english].map((each) => catalogueOf(each).labels.get(label));
  const words = own ?? plain ?? label.replaceAll('_', ' ').toLowerCase();
  return capital ? words.charAt(0).toLocaleUpperCase(localeOf(language)) + words.slice(1) : words;
}
