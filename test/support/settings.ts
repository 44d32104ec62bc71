import { readFileSync } from 'node:fs';
import { type Config, readConfig } from '#src/app/config/config.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { loadPluginFolders } from '#src/runtime/plugins.ts';
import { detectors } from './detectors.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url).pathname;

/** The text of config/default.yaml. */
export const defaults = readFileSync(at('config/default.yaml'), 'utf8');
/** Every platform of the bot. */
export const platforms = await loadPluginFolders<Platform>(at('src/platforms'), 'platform.ts');
/** What a configuration is read from, as it is shipped. */
export const shipped = { defaults, detectors, platforms };

/** Returns the configuration as shipped, but for these variables of the environment. */
export const configured = (env: Readonly<Record<string, string>> = {}): Config =>
  readConfig({ ...shipped, env });
