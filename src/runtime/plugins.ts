import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Loads the default export of every file in a folder of plug-ins, except the file `typeFile` with their type, sorted by
 * file name. A file that is not a plug-in is an error: if it were skipped silently, a detector would be missing.
 */
export async function loadPlugins<Plugin extends { readonly name: string }>(
  folder: string,
  typeFile?: string,
): Promise<Plugin[]> {
  const files = (await readdir(folder))
    .filter((file) => file.endsWith('.ts') && file !== typeFile)
    .sort((a, b) => (a < b ? -1 : 1));
  return Promise.all(files.map((file) => load<Plugin>(join(folder, file), basename(file, '.ts'))));
}

/** Loads the default export of the file with this name from every subfolder. Each plug-in has the name of its folder. */
export async function loadPluginFolders<Plugin extends { readonly name: string }>(
  folder: string,
  file: string,
): Promise<Plugin[]> {
  const folders = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return Promise.all(folders.map((name) => load<Plugin>(join(folder, name, file), name)));
}

async function load<Plugin extends { readonly name: string }>(path: string, name: string): Promise<Plugin> {
  const { default: plugin } = (await import(pathToFileURL(path).href)) as { default?: Plugin };
  if (plugin?.name !== name) throw new Error(`${path} must export default a plug-in named "${name}"`);
  return plugin;
}
