import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../runtime/errors.ts';
import { Secret } from '../../runtime/secret.ts';
import { type Env, variableIn } from '../environment.ts';

/** Files of places as they lie there; nothing of them has been understood yet. */
export interface PlaceFiles {
  /** By name, in its order. */
  readonly texts: Readonly<Record<string, string>>;
  /** What addresses name as `${NAME}`, as far as it is there. */
  readonly variables: Readonly<Record<string, Secret>>;
}

const variable = /\$\{([A-Za-z_]\w*)\}/g;

/** @throws ConfigError where the folder or a file cannot be read, or no YAML is there */
export function readPlaceFiles(folder: string, env: Env): PlaceFiles {
  const names = namesIn(folder);
  // A volume that is not mounted looks the same: what places have is not to end by that.
  if (names.length === 0)
    throw new ConfigError([
      `places (TOCSIN_PLACES): no .yaml file is in ${folder}: is the path right? For no subscriptions from files leave an empty one there`,
    ]);
  const texts = Object.fromEntries(names.map((name) => [name, textIn(join(folder, name))]));
  const named = Object.values(texts).flatMap((text) =>
    [...text.matchAll(variable)].map(([, name = '']) => name),
  );
  const variables = [...new Set(named)].flatMap((name) => {
    const value = variableIn(env, name);
    return value === undefined ? [] : [[name, new Secret(value)] as const];
  });
  return { texts, variables: Object.fromEntries(variables) };
}

/** With its variables’ values. Throws the name of one that is not there. */
export function filledIn(text: string, { variables }: Pick<PlaceFiles, 'variables'>): string {
  return text.replaceAll(variable, (_, name: string) => variables[name]?.reveal() ?? missing(name));
}

function missing(name: string): never {
  throw new ConfigError([`the variable ${name} is not set: set it in the environment or in .env`]);
}

function namesIn(folder: string): string[] {
  try {
    // Editors' and mounts' own begin with a dot.
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.ya?ml$/.test(name))
      .sort();
  } catch (cause) {
    throw new ConfigError(
      [`places (TOCSIN_PLACES): the folder ${folder} cannot be read: is the path right?`],
      {
        cause,
      },
    );
  }
}

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError([`places (TOCSIN_PLACES): ${path} cannot be read: may this user read it?`], {
      cause,
    });
  }
}
