import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { distance } from '../../language/closest.ts';
import type { Platform } from '../../platforms/platform.ts';
import { ConfigError } from '../../runtime/errors.ts';

/** Environment variables and the path of the setting that each sets. `variablesOf` adds those of the platforms. */
const fixedVariables: Readonly<Record<string, readonly string[]>> = {
  TOCSIN_API_URL: ['data', 'url'],
  TOCSIN_API_KEY: ['data', 'apiKey'],
  TOCSIN_DATABASE_URL: ['database'],
  TOCSIN_ARCHIVE_URL: ['data', 'embedded', 'archive'],
  TOCSIN_FRED_KEY: ['data', 'embedded', 'fredKey'],
  TOCSIN_BINANCE_URL: ['data', 'embedded', 'live', 'binance'],
  TOCSIN_BINANCE_STREAM_URL: ['data', 'embedded', 'live', 'binanceStream'],
  TOCSIN_BYBIT_URL: ['data', 'embedded', 'live', 'bybit'],
  TOCSIN_BYBIT_STREAM_URL: ['data', 'embedded', 'live', 'bybitStream'],
  TOCSIN_HYPERLIQUID_URL: ['data', 'embedded', 'live', 'hyperliquid'],
  TOCSIN_HYPERLIQUID_STREAM_URL: ['data', 'embedded', 'live', 'hyperliquidStream'],
  TOCSIN_OKX_URL: ['data', 'embedded', 'live', 'okx'],
  TOCSIN_OKX_STREAM_URL: ['data', 'embedded', 'live', 'okxStream'],
  TOCSIN_PROXY: ['data', 'embedded', 'live', 'proxy'],
  TOCSIN_PLACES: ['places'],
  TOCSIN_CONNECTIONS_KEY: ['connections', 'key'],
  TOCSIN_HTTP_HOST: ['http', 'host'],
  TOCSIN_HTTP_PORT: ['http', 'port'],
  TOCSIN_HTTP_URL: ['http', 'url'],
  TOCSIN_HTTP_TOKEN: ['http', 'token'],
  TOCSIN_HTTP_VIEWER_TOKEN: ['http', 'viewerToken'],
  TOCSIN_HTTP_MCP: ['http', 'mcp'],
  TOCSIN_SERVE_MCP: ['serve', 'mcp'],
  TOCSIN_ALIVE_URL: ['alive', 'url'],
  TOCSIN_LOG_LEVEL: ['log', 'level'],
};

/** Environment variables and the path of the setting that each sets. */
export type Variables = typeof fixedVariables;

export const variablesOf = (platforms: readonly Platform[]): Variables => ({
  ...fixedVariables,
  ...Object.fromEntries(
    platforms.flatMap(({ name, env = {} }) =>
      Object.entries(env).map(([option, variable]) => [variable, ['platforms', name, ...option.split('.')]]),
    ),
  ),
});

/** Paths of settings whose values are never shown, not even in a complaint about them. */
const secretPaths = /apiKey|connections|headers|fredKey|alive|proxy|secret|token|password|database|archive/i;
export const isSecret = (path: string): boolean => secretPaths.test(path);

/** The process's environment variables. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Adds the variables of the file, such as .env, that are not set. @throws ConfigError if the file cannot be read */
export function withEnvFile(env: Env, file: string): Env {
  if (!existsSync(file)) return env;
  try {
    return { ...parseEnv(readFileSync(file, 'utf8')), ...env };
  } catch (cause) {
    throw new ConfigError([`The file ${file} cannot be read: may this user read it?`], { cause });
  }
}

/**
 * Reads the settings that the environment sets, by path. A secret may be in a file instead: the file that NAME_FILE names, or
 * one that systemd has put into $CREDENTIALS_DIRECTORY under the variable's name. The last line break of a file is dropped.
 * @throws ConfigError
 */
export function readEnvironment(
  env: Env,
  variables: Variables,
): (readonly [readonly string[], string | number | boolean])[] {
  const problems: string[] = [];
  const read = Object.entries(variables).flatMap(([name, path]) => {
    const sources = [
      ...variableSources(env, name),
      ...(isSecret(path.join('.')) ? fileSources(env, name) : []),
    ];
    const [first, other] = sources;
    if (first === undefined) return [];
    if (other !== undefined) {
      problems.push(`${first.what} and ${other.what} are both given: leave one of them out`);
      return [];
    }
    const text = first.read();
    if (text === undefined) {
      problems.push(
        `${first.what}: nothing can be read there: is the path right, has the file any text, and may this user read it?`,
      );
      return [];
    }
    return [[path, parseSetting(path, text)] as const];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return read;
}

/** A variable that sets nothing, and the one that may be meant. */
export interface IgnoredVariable {
  readonly name: string;
  readonly meant?: string;
}

/**
 * Returns the variables that set nothing although they seem to be the bot's: those that are called TOCSIN_… or nearly like one
 * that is read, and a file for what is no secret.
 */
export function ignoredVariables(env: Env, variables: Variables): IgnoredVariable[] {
  const secrets = Object.keys(variables).filter((name) => isSecret(variables[name]?.join('.') ?? ''));
  const known = new Set([
    'TOCSIN_CONFIG',
    ...Object.keys(variables),
    ...secrets.map((name) => `${name}_FILE`),
  ]);
  return Object.keys(env).flatMap((name) => {
    if (env[name] === '' || known.has(name)) return [];
    const meant = [...known].find((each) => isMisspelt(name, each));
    return meant !== undefined ? [{ name, meant }] : name.startsWith('TOCSIN_') ? [{ name }] : [];
  });
}

const isMisspelt = (name: string, known: string): boolean =>
  Math.abs(name.length - known.length) <= 2 && distance(name, known) <= 2;

/** Returns the value of a variable, or the text of its secret's file. Undefined if there is neither. */
export const readVariable = (env: Env, name: string): string | undefined =>
  [...variableSources(env, name), ...fileSources(env, name)][0]?.read();

/**
 * Converts the text to a number or boolean if the setting is one. Invalid text is returned as given, so that the error
 * message can show it.
 */
function parseSetting(path: readonly string[], text: string): string | number | boolean {
  const name = path.at(-1);
  if (name === 'port' && /^\d+$/.test(text)) return Number(text);
  return name === 'mcp' && /^(true|false)$/.test(text) ? text === 'true' : text;
}

interface Source {
  readonly what: string;
  /** Returns the text. Undefined if it cannot be read or is empty. */
  read(): string | undefined;
}

const variableSources = (env: Env, name: string): Source[] => {
  const text = env[name];
  return text === undefined || text === '' ? [] : [{ what: name, read: () => text }];
};

function fileSources(env: Env, name: string): Source[] {
  const { [`${name}_FILE`]: file, CREDENTIALS_DIRECTORY: folder } = env;
  const credential = folder ? join(folder, name) : undefined;
  return [
    ...(file ? [{ what: `${name}_FILE (${file})`, read: () => readText(file) }] : []),
    ...(credential !== undefined && existsSync(credential)
      ? [{ what: `the credential ${name}`, read: () => readText(credential) }]
      : []),
  ];
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch {
    return undefined;
  }
}
