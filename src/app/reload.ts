import type { Logger } from 'pino';
import type { WallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { Secret } from '../runtime/secret.ts';
import type { Config } from './config/config.ts';
import { watchFiles } from './watch-files.ts';

interface ReloadOptions {
  readonly config: Config;
  /** Starts the bot. @param operators called for each use, as a reload may change them. @throws ConfigError */
  start(config: Config, operators: () => readonly string[]): Promise<Running>;
  /** Reads the configuration again. @throws ConfigError */
  read(): Promise<Config>;
  /** Returns the files and folders that this configuration was read from. A change of one is applied as by `reload`. */
  files(config: Config): readonly string[];
  /** Called if nothing runs any more because a file has changed. */
  readonly failed: (error: unknown) => void;
  readonly wall: WallClock;
  readonly log: Logger;
}

interface Running {
  takeFiles(files: Config['placeFiles']): void;
  close(): Promise<void>;
}

interface Reloading {
  /** Applies the current configuration. If that is wrong, logs why and keeps the old one. Rejects if nothing runs any more. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Settings that apply to the running bot. A change of any other setting restarts it. */
const liveSettings = /^(log\.level|operators|places|placeFiles\b.*)$/;

/** Runs the bot, and applies a new configuration whenever `reload` is called or a file changes. @throws ConfigError */
export async function startReloading(options: ReloadOptions): Promise<Reloading> {
  const { config, start, read, files, failed, wall, log } = options;
  let current = config;
  const operators = () => current.operators;
  // Made before the start, which may take minutes.
  const watch = await watchFiles({
    paths: () => files(current),
    changed: () => void reload().catch(failed),
    wall,
    onError: (error) => log.error({ err: error }, 'could not look for changed files; retrying'),
  });
  let running: Running | undefined = await start(config, operators);
  let lastReload: Promise<void> = Promise.resolve();
  let closing = false;

  const applyChange = async () => {
    if (closing) return;
    await watch.note();
    let next: Config;
    try {
      next = await read();
    } catch (error) {
      log.error({ problem: problemOf(error) }, 'the new configuration is wrong; the old one stays in use');
      return;
    }
    const changed = changedSettings(current, next);
    const restartSettings = changed.filter((path) => !liveSettings.test(path));
    if (restartSettings.length > 0) return startAnew(next, restartSettings);
    use(next);
    log.info({ changed }, changed.length > 0 ? 'the new configuration is in use' : 'no setting has changed');
    // Called even if the files are unchanged: what a place has lost since then is restored.
    running?.takeFiles(next.placeFiles);
  };

  const use = (next: Config) => {
    current = next;
    log.level = next.log.level;
  };

  const startAnew = async (next: Config, changed: readonly string[]) => {
    log.info({ changed }, 'starting anew with the new configuration');
    await running?.close();
    running = undefined;
    const old = current;
    use(next);
    try {
      running = await start(next, operators);
    } catch (error) {
      use(old);
      log.error(
        { problem: problemOf(error) },
        'cannot start with the new configuration; starting with the old one',
      );
      running = await start(old, operators);
    }
  };

  const reload = () => {
    lastReload = lastReload.then(applyChange);
    return lastReload;
  };
  const watching = watch.start();

  return {
    reload,
    async close() {
      closing = true;
      await watching.stop();
      await lastReload.catch(() => {});
      await running?.close();
    },
  };
}

/** Returns the problems on one line. Rethrows any error that is not a ConfigError. */
function problemOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join('; ');
  throw error;
}

/** Returns the paths of the settings that differ, as in the configuration file, but never their values. */
export function changedSettings(one: Config, other: Config): string[] {
  const [before, after] = [settingsOf(one), settingsOf(other)];
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function settingsOf({
  detectors,
  platforms,
  connectable,
  sources: _,
  ignoredVariables: __,
  ...rest
}: Config): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  gather(rest, { path: '', into: settings });
  for (const { detector, ...own } of detectors)
    gather(own, { path: `detectors.${detector.name}`, into: settings });
  const given = connectable.map(({ platform, given: options }) => ({ platform, options }));
  for (const { platform, options } of [...platforms, ...given])
    gather(options, { path: `platforms.${platform.name}`, into: settings });
  return settings;
}

function gather(
  value: unknown,
  { path, into }: { readonly path: string; readonly into: Map<string, string> },
): void {
  const isTree =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isTree) {
    into.set(path, JSON.stringify({ value }, revealed));
    return;
  }
  const inner = Object.entries(value);
  if (inner.length === 0) into.set(path, '{}');
  for (const [key, each] of inner) gather(each, { path: path === '' ? key : `${path}.${key}`, into });
}

/** Replacer for JSON.stringify. Reads the raw value, because JSON.stringify calls a secret's toJSON before the replacer. */
function revealed(this: unknown, key: string, value: unknown): unknown {
  const raw = (this as Record<string, unknown>)[key];
  return raw instanceof Secret ? raw.reveal() : value;
}
