import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';

export interface Asset {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
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
    const body = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(file === 'index.html' ? '/' : `/${file}`, { type, body, etag });
  }
  return assets;
}
