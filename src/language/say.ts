import { IntlMessageFormat } from 'intl-messageformat';
import { formatDuration } from '../runtime/units.ts';
import english from './en/labels.ts';
import { catalogues, dateLocaleOf, type Language, localeOf } from './languages.ts';
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
export const plainReader: Reader = { language: 'en', timeZone: 'UTC' };

/** A text in its reader's language. What no catalogue holds is said in English. */
export function say(text: Text, reader: Reader): string {
  if (typeof text === 'string') return text;
  if ('message' in text) return sayMessage(text, reader);
  if ('number' in text) return sayNumber(text, reader.language);
  if ('time' in text) return sayTime(text.time, reader);
  if ('span' in text) return saySpan(text.span, reader.language);
  if ('label' in text) return sayLabel(text.label, text.capital, reader.language);
  if ('typed' in text) return sayTyped(text, reader);
  if ('list' in text) return listFormat(reader.language).format(text.list.map((part) => say(part, reader)));
  const joined = text.parts.map((part) => say(part, reader)).join(text.by);
  // Chinese sentences follow each other without a space.
  return reader.language === 'zh' && text.by === ' '
    ? joined.replaceAll(/(?<=[。！？；：，]) /g, '')
    : joined;
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
  const own = language === 'en' ? undefined : catalogues[language].messages[key];
  return own === undefined
    ? String(messageFormat('en', message).format(said))
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
    new IntlMessageFormat(message, localeOf[language], undefined, { ignoreTag: true }),
);

const numberFormat = memoized(
  (language: Language, as: Intl.NumberFormatOptions) => new Intl.NumberFormat(localeOf[language], as),
);

/** With a minus, where Intl writes a hyphen: `-1.2%` breaks after its sign and looks like a list. */
const sayNumber = (quantity: Quantity, language: Language): string =>
  inDigits(quantity, language).replace('-', '\u2212');

/** Spanish counts thousands of millions, which Intl says as `1230 M`. Above, its `B` is a million millions. */
function inDigits({ number, as }: Quantity, language: Language): string {
  const format = numberFormat(language, as);
  const size = Math.abs(number);
  if (language !== 'es' || as.notation !== 'compact' || size < 999.5e6 || size >= 999.5e9)
    return format.format(number);
  return format
    .formatToParts(number / 1e3)
    .map(({ type, value }) => (type === 'compact' ? `mil\u00a0${value}` : value))
    .join('');
}

const listFormat = memoized(
  (language: Language) => new Intl.ListFormat(localeOf[language], { type: 'conjunction', style: 'narrow' }),
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

/** What those who live by a zone call it, where Intl says no more than `GMT+8`. */
const zoneNames: Partial<Record<Language, Readonly<Record<string, string>>>> = {
  zh: { 'Asia/Shanghai': '北京时间', 'Asia/Chongqing': '北京时间', PRC: '北京时间' },
};

/** The zone last, where Chinese would have it between date and time. */
function sayTime(at: number, { language, timeZone }: Reader): string {
  const parts = clock(language, timeZone).formatToParts(at);
  const zone = parts.find(({ type }) => type === 'timeZoneName');
  const rest = parts.filter((part) => part !== zone).map(({ value }) => value);
  return `${rest.join('').trim().replace(/ {2,}/, ' ')} ${zoneNames[language]?.[timeZone] ?? zone?.value ?? timeZone}`;
}

function saySpan(ms: number, language: Language): string {
  const english = formatDuration(ms);
  if (language === 'en') return english;
  const [days, hours, minutes, seconds] = catalogues[language].units;
  const names: Readonly<Record<string, string>> = { d: days, h: hours, min: minutes, s: seconds };
  return english.replaceAll(
    /(\d+) (\w+)/g,
    (whole, size: string, unit: string) => names[unit]?.replace('#', size) ?? whole,
  );
}

function sayLabel(label: string, capital: boolean, language: Language): string {
  const own = (language === 'en' ? english : catalogues[language].labels)[label];
  const words = own ?? label.replaceAll('_', ' ').toLowerCase();
  return capital ? words.charAt(0).toLocaleUpperCase(localeOf[language]) + words.slice(1) : words;
}
