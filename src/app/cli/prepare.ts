import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exit } from './fatal-error.ts';

const src = resolve(import.meta.dirname, '../..');

/**
 * Runs after npm has installed the packages: builds the page and compiles the code (bin/tocsin.js says into which folder), so that the first start
 * need not. Compiling takes a second of processor time in each thread. A single file that is not compiled also costs
 * each thread that loads it 15 MB, because Node.js then loads what strips types. A failure only gives a warning, as a start
 * works without this preparation.
 */
export async function prepare(loaders: readonly (() => Promise<unknown>)[]): Promise<number> {
  const page = import('../../platforms/web/build.ts').then(({ builtPage }) => builtPage());
  // The code that a start loads is run here, because running it compiles more of it.
  await Promise.allSettled([import('../../service/run/service.ts'), ...loaders.map((load) => load())]);
  // The code in src/web runs in the browser.
  const files = globSync('**/*.ts', { cwd: src, exclude: ['web'] });
  const prepared = await Promise.allSettled([page, ...files.map((file) => compile(resolve(src, file)))]);
  for (const each of prepared) if (each.status === 'rejected') process.emitWarning(String(each.reason));
  return exit.ok;
}

const throwingModule = 'data:text/javascript,throw null';

/** Compiles a module and its imports without running them: a module that is imported before them throws. */
async function compile(file: string): Promise<void> {
  const text = `import '${throwingModule}'; import '${pathToFileURL(file).href}';`;
  await import(`data:text/javascript,${encodeURIComponent(text)}`).catch((error: unknown) => {
    if (error !== null) throw error;
  });
}
