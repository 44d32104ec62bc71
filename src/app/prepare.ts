import { exit } from './complaint.ts';

/**
 * What npm has done once it has installed: the first start then finds the page built and its code compiled
 * (compile-cache.js), which is a second of processor time in each thread. No install fails for it: a start does without.
 */
export async function prepare(loaders: readonly (() => Promise<unknown>)[]): Promise<number> {
  const page = import('../platforms/web/build.ts').then(({ builtPage }) => builtPage());
  const service = import('../service/service.ts');
  const prepared = await Promise.allSettled([page, service, ...loaders.map((load) => load())]);
  for (const each of prepared) if (each.status === 'rejected') process.emitWarning(String(each.reason));
  return exit.ok;
}
