import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Default exports of every file in a plural folder but the one with its type, sorted by file name.
 * A file that is no plug-in is an error, never passed over: a silent skip is a lost detector.
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

/** Default exports of the file of that name in every folder of a plural folder, each named after its folder. */
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
