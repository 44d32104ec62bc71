import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Returns the environment of a thread or process that is given no other: where it finds the code that is already compiled. */
export function compiledCode(): { readonly NODE_COMPILE_CACHE?: string } {
  // What Node.js tells is the folder of its own version, within the one that is set.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
