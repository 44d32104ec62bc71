import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Digits } from '../../language/digits.ts';
import { catalogueOf, dateLocaleOf, english, type Language, localeOf } from '../../language/languages.ts';
import { digitsOf } from '../../language/say.ts';
import { type Pattern, patternOf } from './pattern.ts';

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** The body compressed with Brotli, if that is smaller. */
  readonly packed?: Buffer;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.js': 'text/javascript; charset=utf-8',
};

export interface PageFiles {
  /** index.html, before it is translated. */
  readonly index: string;
  /** login.html, before it is translated. */
  readonly login: string;
  /** The assets by path. Their names contain a hash of their content, so that the file of a name never changes. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The messages that the page's code uses. */
  readonly pageMessages: readonly string[];
}

/** Translations and formats that the page's code reads from its mark-up. */
export interface Words {
  /** English message → its text in the page's language. A message whose text is the message itself is left out. */
  readonly messages: Readonly<Record<string, Pattern>>;
  /** The same for messages that the page's language has no translation of: their text is English. */
  readonly english: Readonly<Record<string, Pattern>>;
  readonly labels: Readonly<Record<string, string>>;
  /** How the language writes numbers: its BCP 47 tag, and its own word for 10⁹ if it has one. */
  readonly digits: Digits;
  /** How the language writes dates, as a BCP 47 tag. */
  readonly dates: string;
  /** How the language writes a number of days, hours, minutes and seconds: `#` stands for the number. */
  readonly units: Readonly<Record<'d' | 'h' | 'min' | 's', string>>;
}

/** Name of the file in the built page's folder that lists the messages of the page's code. */
export const messagesFile = 'said.json';
/** Suffix of the name of a compressed file, after the name of the original. */
export const packedSuffix = '.br';

/**
 * Reads the built page.
 * @param folder of the built page
 */
export async function readPage(folder: string): Promise<PageFiles> {
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const assets = new Map<string, Asset>();
  const within = join(folder, 'assets');
  const files = await readdir(within);
  for (const file of files) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const packed = `${file}${packedSuffix}`;
    assets.set(`/assets/${file}`, {
      type,
      body: await readFile(join(within, file)),
      ...(files.includes(packed) && { packed: await readFile(join(within, packed)) }),
    });
  }
  return {
    index: await read('index.html'),
    login: await read('login.html'),
    assets,
    pageMessages: JSON.parse(await read(messagesFile)),
  };
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

/** Returns the labels of a language; where it lacks one, the English label. */
const labelsIn = (language: Language) =>
  Object.fromEntries([english, language].flatMap((each) => [...catalogueOf(each).labels]));

const patternsOf = (texts: readonly (readonly [message: string, text: string])[], language: Language) =>
  Object.fromEntries(
    texts
      .map(([message, text]): [string, Pattern] => [message, patternOf(text, localeOf(language))])
      .filter(([message, pattern]) => String(pattern) !== message),
  );

export function wordsIn(language: Language, pageMessages: readonly string[]): Words {
  const { messages, about } = catalogueOf(language);
  const isTranslated = (message: string) => language === english || messages.has(message);
  const withTranslation = (message: string) => [message, messages.get(message) ?? message] as const;
  return {
    messages: patternsOf(pageMessages.filter(isTranslated).map(withTranslation), language),
    english: patternsOf(
      pageMessages.filter((message) => !isTranslated(message)).map(withTranslation),
      english,
    ),
    labels: labelsIn(language),
    digits: digitsOf(language),
    dates: dateLocaleOf(language),
    units: about.units,
  };
}

/**
 * Returns the page in a language: its `{{words}}` are translated, and it contains the messages of its code as JSON and
 * the visitor's rights, or the ways to sign in.
 * @param html a page of src/web
 * @param said the messages of the page's code
 */
export function sayPage(
  html: string,
  {
    pageMessages,
    language,
    access = 'open',
    ways = '[]',
  }: {
    readonly pageMessages: readonly string[];
    readonly language: Language;
    readonly access?: string;
    /** JSON. */
    readonly ways?: string;
  },
): string {
  const { messages } = catalogueOf(language);
  const pageValues = new Map([
    ['words', JSON.stringify(wordsIn(language, pageMessages))],
    ['access', access],
    ['ways', ways],
  ]);
  return html
    .replace(`<html lang="${english}">`, `<html lang="${language}">`)
    .replaceAll(/\{\{(.+?)\}\}/g, (_, key: string) =>
      escapeHtml(pageValues.get(key) ?? messages.get(key) ?? key),
    );
}
