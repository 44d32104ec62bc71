import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exit } from './complaint.ts';

const src = resolve(import.meta.dirname, '..');

/**
 * What npm has done once it has installed: the first start then finds the page built and its code compiled
 * (compile-cache.js), which is a second of processor time in each thread. One file that is not compiled costs each thread
 * that loads it 15 MB as well, because Node.js then loads what strips types. No install fails for it: a start does without.
 */
export async function prepare(loaders: readonly (() => Promise<unknown>)[]): Promise<number> {
  const page = import('../platforms/web/build.ts').then(({ builtPage }) => builtPage());
  // What a start loads is run, by which more of it is compiled.
  await Promise.allSettled([import('../service/service.ts'), ...loaders.map((load) => load())]);
  // What src/web holds runs in the browser.
  const files = globSync('**/*.ts', { cwd: src, exclude: ['web'] });
  const prepared = await Promise.allSettled([page, ...files.map((file) => compiled(resolve(src, file)))]);
  for (const each of prepared) if (each.status === 'rejected') process.emitWarning(String(each.reason));
  return exit.ok;
}

const throwing = 'data:text/javascript,throw null';

/** Compiles a module and what it imports, and runs none of them: what is imported before them throws. */
async function compiled(file: string): Promise<void> {
  const text = `import '${throwing}'; import '${pathToFileURL(file).href}';`;
  await import(`data:text/javascript,${encodeURIComponent(text)}`).catch((error: unknown) => {
    if (error !== null) throw error;
  });
}
