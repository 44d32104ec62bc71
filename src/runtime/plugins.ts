import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Default exports of every file in a plural folder but the one with its type, sorted by file name.
 * A file that is no plug-in is an error, never passed over: a silent skip is a lost detector.
 */
export async function loadPlugins<Plugin extends { readonly name: string }>(
  folder: string,
  typeFile: string,
): Promise<Plugin[]> {
  const files = (await readdir(folder))
    .filter((file) => file.endsWith('.ts') && file !== typeFile)
    .sort((a, b) => (a < b ? -1 : 1));
  return Promise.all(
    files.map(async (file) => {
      const { default: plugin } = (await import(pathToFileURL(join(folder, file)).href)) as {
        default?: Plugin;
      };
      const expected = basename(file, '.ts');
      if (plugin?.name !== expected) {
        throw new Error(`${file} must export default a plug-in named "${expected}", after its file`);
      }
      return plugin;
    }),
  );
}
