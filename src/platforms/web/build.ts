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
import { saidIn } from '../../language/said.ts';
import { packedEnd, saidFile } from './page.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = join(root, 'src/web');
/** What the page's code is made of besides: its numbers are written as the cards', its charts drawn as the pictures. */
const shared = ['language', 'chart', 'runtime'].map((folder) => join(root, 'src', folder));
const kept = join(root, 'node_modules/.cache/page');

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));

/**
 * Of the page's sources, of what is done to them here, and of the libraries' versions, which package.json pins; npm itself
 * rewrites the lock file when it prunes. Read at once: some 250 small files, each of which costs four times as much to
 * be waited for.
 */
function keyOf(): string {
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

function builder(): string {
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

/** Vite, in a process of its own, whose memory goes with it. @throws Error with its own words */
async function build(into: string): Promise<void> {
  const vite = builder();
  const args = ['--configLoader', 'native', '--outDir', into, '--emptyOutDir', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, [vite, 'build', sources, ...args], { cwd: root });
  await writeFile(join(into, saidFile), JSON.stringify(said()));
  const assets = join(into, 'assets');
  for (const file of await readdir(assets)) await pack(join(assets, file));
}

/** Messages that the page's code says: its own, and those of the charts that it has in common with pictures. */
function said(): string[] {
  const paths = [sources, join(root, 'src/chart')].flatMap(filesIn);
  const texts = paths.filter((path) => /\.tsx?$/.test(path)).map((path) => readFileSync(path, 'utf8'));
  return [...new Set(texts.flatMap(saidIn).flatMap(({ key }) => key ?? []))];
}

/** Beside it, by Brotli at its best, where that is smaller. */
async function pack(path: string): Promise<void> {
  const body = await readFile(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const packed = await promisify(brotliCompress)(body, { params });
  if (packed.length < body.length) await writeFile(`${path}${packedEnd}`, packed);
}

/**
 * The folder of the built page. What was built once of these sources, as `npm ci` does, is there; else it is built. Where
 * nothing can be kept beside the libraries it is built at each start. @throws Error
 */
export async function builtPage(): Promise<string> {
  const folder = join(kept, keyOf());
  const isBuilt = () => exists(join(folder, 'index.html'));
  if (await isBuilt()) return folder;
  const begun = `${folder}.${randomUUID()}`;
  try {
    await mkdir(begun, { recursive: true });
  } catch {
    const once = await mkdtemp(join(tmpdir(), 'tocsin-page-'));
    await build(once);
    return once;
  }
  try {
    await build(begun);
    // Whoever was first is as good.
    await rename(begun, folder).catch(async (error: unknown) => {
      if (!(await isBuilt())) throw error;
    });
  } finally {
    await rm(begun, { recursive: true, force: true });
  }
  return folder;
}
