import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';

export interface Asset {
  readonly type: string;
  readonly etag: string;
  /** What is sent. Types are stripped when it is first asked for: what strips them takes 25 MB. */
  body(): string;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
};

/** The page's files by path, TypeScript with its types stripped: imports keep their `.ts`, lines their number. */
export async function readPage(folder: URL): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  for (const file of await readdir(folder)) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const text = await readFile(new URL(file, folder), 'utf8');
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    let stripped: string | undefined;
    const body = () => {
      stripped ??= file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
      return stripped;
    };
    assets.set(file === 'index.html' ? '/' : `/${file}`, { type, etag, body });
  }
  return assets;
}
