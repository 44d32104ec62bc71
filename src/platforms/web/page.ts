import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Digits } from '../../language/digits.ts';
import { catalogueOf, dateLocaleOf, english, type Language, localeOf } from '../../language/languages.ts';
import { digitsOf } from '../../language/say.ts';
import { type Pattern, patternOf } from './pattern.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Brotli, where it is smaller. */
  readonly packed?: Buffer;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.js': 'text/javascript; charset=utf-8',
};

export interface PageFiles {
  /** index.html, before it is in a language. */
  readonly index: string;
  /** login.html, likewise. */
  readonly login: string;
  /** By path; named after what is in them, so that they never change. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The messages that its code says. */
  readonly said: readonly string[];
}

/** What the page's code finds in its mark-up. */
export interface Words {
  /** English message → how it is said in the page's language. One that is said as it is written is left out. */
  readonly messages: Readonly<Record<string, Pattern>>;
  /** The same of what is said in English, as the page's language has no words for it. */
  readonly english: Readonly<Record<string, Pattern>>;
  readonly labels: Readonly<Record<string, string>>;
  /** How the language writes numbers: BCP 47, and its own word for 10⁹ where it has one. */
  readonly digits: Digits;
  /** How it writes dates, BCP 47. */
  readonly dates: string;
}

/** In the built page's folder: the messages that its code says. */
export const saidFile = 'said.json';
/** What is packed has its own name and this. */
export const packedEnd = '.br';

/** @param folder of the built page */
export async function readPage(folder: string): Promise<PageFiles> {
  const read = (file: string) => readFile(join(folder, file), 'utf8');
  const assets = new Map<string, Asset>();
  const within = join(folder, 'assets');
  const files = await readdir(within);
  for (const file of files) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const packed = `${file}${packedEnd}`;
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
    said: JSON.parse(await read(saidFile)),
  };
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

/** The labels that a language has, and those of English that it lacks. */
const labelsIn = (language: Language) =>
  Object.fromEntries([english, language].flatMap((each) => [...catalogueOf(each).labels]));

const patternsOf = (texts: readonly (readonly [message: string, text: string])[], language: Language) =>
  Object.fromEntries(
    texts
      .map(([message, text]): [string, Pattern] => [message, patternOf(text, localeOf(language))])
      .filter(([message, pattern]) => String(pattern) !== message),
  );

export function wordsIn(language: Language, said: readonly string[]): Words {
  const { messages } = catalogueOf(language);
  const isSaid = (message: string) => language === english || messages.has(message);
  const both = (message: string) => [message, messages.get(message) ?? message] as const;
  return {
    messages: patternsOf(said.filter(isSaid).map(both), language),
    english: patternsOf(said.filter((message) => !isSaid(message)).map(both), english),
    labels: labelsIn(language),
    digits: digitsOf(language),
    dates: dateLocaleOf(language),
  };
}

/**
 * The page in a language: its `{{words}}` are said, its code finds its own as JSON, and what its visitor may do.
 * @param html as it is in src/web
 * @param said the messages of its code
 */
export function sayPage(
  html: string,
  {
    said,
    language,
    access = 'open',
  }: { readonly said: readonly string[]; readonly language: Language; readonly access?: string },
): string {
  const { messages } = catalogueOf(language);
  const own = new Map([
    ['words', JSON.stringify(wordsIn(language, said))],
    ['access', access],
  ]);
  return html
    .replace(`<html lang="${english}">`, `<html lang="${language}">`)
    .replaceAll(/\{\{(.+?)\}\}/g, (_, key: string) => escapeHtml(own.get(key) ?? messages.get(key) ?? key));
}
