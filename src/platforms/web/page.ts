import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { catalogues, type Language } from '../../language/languages.ts';

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
}

/** The page's files, TypeScript with its types stripped: imports keep their `.ts`, lines their number. */
export async function readPage(folder: URL): Promise<PageFiles> {
  const read = (file: string) => readFile(new URL(file, folder), 'utf8');
  const assets = new Map<string, Asset>();
  for (const file of await readdir(folder)) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const text = await read(file);
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    let stripped: string | undefined;
    const body = () => {
      stripped ??= file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
      return stripped;
    };
    assets.set(`/${file}`, { type, etag, body });
  }
  return { index: await read('index.html'), login: await read('login.html'), assets };
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => marks[mark] ?? mark);

/**
 * The page in a language: its `{{words}}` are said, its code finds the rest of the page's catalogue as JSON.
 * @param html as it is in src/web
 */
export function sayPage(html: string, language: Language): string {
  const { page, labels } = language === 'en' ? { page: {}, labels: {} } : catalogues[language];
  const words = JSON.stringify({ messages: page, labels });
  const said: Readonly<Record<string, string>> = { ...page, words };
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replaceAll(/\{\{(.+?)\}\}/g, (_, key: string) => escapeHtml(said[key] ?? key));
}
