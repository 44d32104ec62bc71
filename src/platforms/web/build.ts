import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { findMessages } from '../../language/find-messages.ts';
import { messagesFile, packedSuffix } from './page.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = join(root, 'src/web');
/** Other sources of the page: numbers are written as on cards, and charts are drawn as in pictures. */
const shared = ['language', 'chart', 'runtime'].map((folder) => join(root, 'src', folder));
const cacheFolder = join(root, 'node_modules/.cache/page');

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));

/**
 * Returns a hash of the page's sources, of this file, and of package.json, which pins the versions of the libraries
 * (npm itself rewrites the lock file when it prunes). Reads synchronously: there are some 250 small files, and
 * asynchronous reads would take four times as long.
 */
function sourcesHash(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')));
  hash.update(readFileSync(import.meta.filename));
  for (const folder of [sources, ...shared]) {
    const paths = filesIn(folder);
    for (const path of paths.filter((each) => folder === sources || each.endsWith('.ts')).sort())
      hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest('base64url').slice(0, 22);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function vitePath(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');
  } catch (cause) {
    const problem = 'the page is not built, and what builds it is not installed';
    throw new Error(
      `${problem}: run "npm ci" without --omit=dev, then, if you like, "npm prune --omit=dev"`,
      {
        cause,
      },
    );
  }
}

/**
 * Builds the page with Vite in a separate process, which frees its memory when it ends.
 * @throws Error with Vite's message
 */
async function build(into: string): Promise<void> {
  const vite = vitePath();
  const args = ['--configLoader', 'native', '--outDir', into, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [vite, 'build', sources, ...args], { cwd: root });
  await writeFile(join(into, messagesFile), JSON.stringify(pageMessages()));
  const assets = join(into, 'assets');
  for (const file of await readdir(assets)) await compressFile(join(assets, file));
}

/** Returns the messages that the page's code uses: its own, and those of the charts, which it shares with the pictures. */
function pageMessages(): string[] {
  const paths = [sources, join(root, 'src/chart')].flatMap(filesIn);
  const texts = paths.filter((path) => /\.tsx?$/.test(path)).map((path) => readFileSync(path, 'utf8'));
  return [...new Set(texts.flatMap(findMessages).flatMap(({ key }) => key ?? []))];
}

/** Writes a copy of the file beside it, compressed with Brotli at its best level, if that is smaller. */
async function compressFile(path: string): Promise<void> {
  const body = await readFile(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const packed = await promisify(brotliCompress)(body, { params });
  if (packed.length < body.length) await writeFile(`${path}${packedSuffix}`, packed);
}

/**
 * Returns the folder of the built page. Builds the page unless it was already built from these sources, as `npm ci`
 * does. If nothing can be stored beside the libraries, the page is built at each start.
 * @throws Error
 */
export async function builtPage(): Promise<string> {
  const folder = join(cacheFolder, sourcesHash());
  const isBuilt = () => exists(join(folder, 'index.html'));
  if (await isBuilt()) return folder;
  const temporary = `${folder}.${randomUUID()}`;
  try {
    await mkdir(temporary, { recursive: true });
  } catch {
    const unsavedFolder = await mkdtemp(join(tmpdir(), 'tocsin-page-'));
    await build(unsavedFolder);
    return unsavedFolder;
  }
  try {
    await build(temporary);
    // Another process may have built the same page first.
    await rename(temporary, folder).catch(async (error: unknown) => {
      if (!(await isBuilt())) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}
