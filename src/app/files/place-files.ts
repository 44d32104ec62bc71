import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../runtime/errors.ts';
import { Secret } from '../../runtime/secret.ts';
import { type Env, readVariable } from '../environment.ts';

/** The files of places as text, before they are parsed. */
export interface PlaceFiles {
  /** Text of each file by its name, in the order of the names. */
  readonly texts: Readonly<Record<string, string>>;
  /** Values of the variables that the files name as `${NAME}`, as far as they are set. */
  readonly variables: Readonly<Record<string, Secret>>;
}

const variablePattern = /\$\{([A-Za-z_]\w*)\}/g;

/** Reads the files of places. @throws ConfigError if the folder or a file cannot be read, or the folder has no YAML file */
export function readPlaceFiles(folder: string, env: Env): PlaceFiles {
  const names = listFiles(folder);
  // A volume that is not mounted also looks empty; that must not end what places have.
  if (names.length === 0)
    throw new ConfigError([
      `places (TOCSIN_PLACES): no .yaml file is in ${folder}: is the path right? For no subscriptions from files leave an empty one there`,
    ]);
  const texts = Object.fromEntries(names.map((name) => [name, readText(join(folder, name))]));
  const variableNames = Object.values(texts).flatMap((text) =>
    [...text.matchAll(variablePattern)].map(([, name = '']) => name),
  );
  const variables = [...new Set(variableNames)].flatMap((name) => {
    const value = readVariable(env, name);
    return value === undefined ? [] : [[name, new Secret(value)] as const];
  });
  return { texts, variables: Object.fromEntries(variables) };
}

/** Replaces variables by their values. @throws ConfigError that names a variable that is not set */
export function fillVariables(text: string, { variables }: Pick<PlaceFiles, 'variables'>): string {
  return text.replaceAll(variablePattern, (_, name: string) => variables[name]?.reveal() ?? throwUnset(name));
}

function throwUnset(name: string): never {
  throw new ConfigError([`the variable ${name} is not set: set it in the environment or in .env`]);
}

/** Names that begin with a dot are files of editors and mounts. */
export const isPlaceFile = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name);

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isPlaceFile).sort();
  } catch (cause) {
    throw new ConfigError(
      [`places (TOCSIN_PLACES): the folder ${folder} cannot be read: is the path right?`],
      {
        cause,
      },
    );
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError([`places (TOCSIN_PLACES): ${path} cannot be read: may this user read it?`], {
      cause,
    });
  }
}
