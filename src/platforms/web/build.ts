import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = join(root, 'src/web');
/** What the page's code is made of besides: its numbers are written as the cards', its charts drawn as the pictures. */
const shared = ['language', 'chart', 'runtime'].map((folder) => join(root, 'src', folder));
const kept = join(root, 'node_modules/.cache/page');

/** Of the page's sources and the libraries' versions, which package.json pins; npm itself rewrites the lock file when it prunes. */
async function keyOf(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(root, 'package.json')));
  for (const folder of [sources, ...shared]) {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    for (const path of paths.filter((each) => folder === sources || each.endsWith('.ts')).sort())
      hash.update(path.slice(root.length)).update(await readFile(path));
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
}

/**
 * The folder of the built page. What was built once of these sources, as `npm ci` does, is there; else it is built. Where
 * nothing can be kept beside the libraries it is built at each start. @throws Error
 */
export async function builtPage(): Promise<string> {
  const folder = join(kept, await keyOf());
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
