import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { catalogueOf, english, type Language, localeOf } from '../../language/languages.ts';
import { saidIn } from '../../language/said.ts';
import { type Pattern, patternOf } from './pattern.ts';

export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** What is sent. Types are stripped when it is first asked for: what strips them takes 25 MB. */
  body(): string;
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};

export interface PageFiles {
  /** index.html, before it is in a language. */
  readonly index: string;
  /** login.html, likewise. */
  readonly login: string;
  /** By path. */
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
}

/** The page's files, TypeScript with its types stripped: imports keep their `.ts`, lines their number. */
export async function readPage(folder: URL): Promise<PageFiles> {
  const read = (file: string) => readFile(new URL(file, folder), 'utf8');
  const assets = new Map<string, Asset>();
  const said: string[] = [];
  for (const file of await readdir(folder)) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const text = await read(file);
    if (file.endsWith('.ts')) said.push(...saidIn(text).flatMap(({ key }) => key ?? []));
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    let stripped: string | undefined;
    const body = () => {
      stripped ??= file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
      return stripped;
    };
    assets.set(`/${file}`, { type, etag, body });
  }
  return { index: await read('index.html'), login: await read('login.html'), assets, said };
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
  };
}

/**
 * The page in a language: its `{{words}}` are said, its code finds its own as JSON.
 * @param html as it is in src/web
 * @param said the messages of its code
 */
export function sayPage(
  html: string,
  { said, language }: { readonly said: readonly string[]; readonly language: Language },
): string {
  const { messages } = catalogueOf(language);
  const words = JSON.stringify(wordsIn(language, said));
  return html
    .replace(`<html lang="${english}">`, `<html lang="${language}">`)
    .replaceAll(/\{\{(.+?)\}\}/g, (_, key: string) =>
      escapeHtml(key === 'words' ? words : (messages.get(key) ?? key)),
    );
}
