import { IntlMessageFormat } from 'intl-messageformat';
import { formatDuration } from '../runtime/units.ts';
import { type Digits, inDigits } from './digits.ts';
import { catalogueOf, dateLocaleOf, english, type Language, localeOf } from './languages.ts';
import { memoized } from './memoized.ts';
import type { ChartTheme, MessageStyle } from './preferences.ts';
import { type Instant, type Label, type Message, msg, type Text, type Typed } from './text.ts';
import { timeFormat } from './time-format.ts';

export interface Reader {
  readonly language: Language;
  /** IANA name. */
  readonly timeZone: string;
  /** How charts for the reader are drawn. The default is dark, which is readable in both themes of a phone. */
  readonly theme?: ChartTheme;
  /** How messages to the reader are written; plain unless their place has chosen otherwise. */
  readonly messages?: MessageStyle;
  /**
   * Whether commands begin with a slash where the reader is, so that they can be tapped; `options`: the inputs are also
   * written as options.
   */
  readonly slash?: boolean | 'options' | undefined;
}

/** The default reader, also for logs and the replay. */
export const plainReader: Reader = { language: english, timeZone: 'UTC' };

/** Returns a text in its reader's language, or in English if the catalogue does not have the message. */
export function say(text: Text, reader: Reader): string {
  if (typeof text === 'string') return text;
  if ('message' in text) return sayMessage(text, reader);
  if ('number' in text) return inDigits(text, digitsOf(reader.language));
  if ('time' in text) return sayTime(text, reader);
  if ('span' in text) return saySpan(text.span, reader.language);
  if ('label' in text) return sayLabel(text, reader.language);
  if ('typed' in text) return sayTyped(text, reader);
  if ('list' in text) return listFormat(reader.language).format(text.list.map((part) => say(part, reader)));
  const parts = text.parts.map((part) => say(part, reader));
  return text.by === ' ' ? sentences(parts, reader.language) : parts.join(text.by);
}

/** Returns what a language is called in that language, and that a machine translated it. */
export function languageName(language: Language): string {
  const { name, translated } = catalogueOf(language).about;
  if (translated === undefined) return name;
  return say(msg('{name}, machine-translated', { name }), { ...plainReader, language });
}

/** Joins sentences with a space, but without one after punctuation that needs none. */
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
  const messageValues = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : say(value, reader),
    ]),
  );
  const { language } = reader;
  const key = context === undefined ? message : `${context}|${message}`;
  const translation = catalogueOf(language).messages.get(key);
  return translation === undefined
    ? String(messageFormat(english, message).format(messageValues))
    : String(messageFormat(language, translation).format(messageValues));
}

const messageFormat = memoized(
  (language: Language, message: string) =>
    // Tags are not used: a `<` in a message is a literal `<`.
    new IntlMessageFormat(message, localeOf(language), undefined, { ignoreTag: true }),
);

/** Returns how a language writes numbers. */
export const digitsOf = memoized((language: Language): Digits => {
  const { billions } = catalogueOf(language).about;
  return { locale: localeOf(language), billions };
});

const listFormat = memoized(
  (language: Language) => new Intl.ListFormat(localeOf(language), { type: 'conjunction', style: 'narrow' }),
);

/** Writes a time with the zone at the end, where Chinese would have it between date and time. */
function sayTime({ time: at, weekly }: Instant, { language, timeZone }: Reader): string {
  if (weekly) return timeFormat(dateLocaleOf(language), { format: 'weekly', timeZone }).format(at);
  const parts = timeFormat(dateLocaleOf(language), { format: 'whole', timeZone }).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName');
  const rest = parts.filter((part) => part !== zone).map(({ value }) => value);
  const zoneName = catalogueOf(language).about.zones.get(timeZone);
  return `${rest.join('').trim().replace(/ {2,}/, ' ')} ${zoneName ?? zone?.value ?? timeZone}`;
}

function saySpan(ms: number, language: Language): string {
  const { units } = catalogueOf(language).about;
  return formatDuration(ms).replaceAll(/(\d+) (d|h|min|s)\b/g, (_, size: string, unit: keyof typeof units) =>
    units[unit].replace('#', size),
  );
}

function sayLabel({ label, capital }: Label, language: Language): string {
  const [translated, inEnglish] = [language, english].map((each) => catalogueOf(each).labels.get(label));
  const words = translated ?? inEnglish ?? label.replaceAll('_', ' ').toLowerCase();
  return capital ? words.charAt(0).toLocaleUpperCase(localeOf(language)) + words.slice(1) : words;
}
