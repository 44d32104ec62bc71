import { constants, type Stats } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { decodeText } from '../../runtime/decode-text.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { Secret } from '../../runtime/secret.ts';
import { second } from '../../runtime/units.ts';
import type { Flaw } from '../../shell/sheet.ts';
import { type Env, readVariable } from './environment.ts';

/** The files of places as text, before they are parsed. */
export interface PlaceFiles {
  /** Text of each file by its name, in the order of the names. */
  readonly texts: Readonly<Record<string, string>>;
  /** What is wrong with the files that have no text. */
  readonly flaws: readonly Flaw[];
  /** Values of the variables that the files name as `${NAME}`, as far as they are set and may be used. */
  readonly variables: Readonly<Record<string, Secret>>;
}

const variablePattern = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * The beginning of the names of variables that files may use. A file names any host as an address: with other variables, such
 * as the bot's own tokens, it could send them there.
 */
const variablePrefix = 'TOCSIN_PLACE_';

/** Bytes of the largest file: a place with all that it may have takes less than 20 kB. */
const maxSize = 4 * 1024 * 1024;
/** How many files are read, and the bytes of all of them. */
const maxFiles = 1_000;
const maxTotal = 32 * 1024 * 1024;

/**
 * Reads the files of places, beside the main thread. A file that cannot be read has a flaw in place of a text.
 * @throws ConfigError if the folder cannot be read or has no YAML file
 */
export async function readPlaceFiles(folder: string, env: Env): Promise<PlaceFiles> {
  const names = await inTime(listFiles(folder), folder);
  // A volume that is not mounted also looks empty; that must not end what places have.
  if (names.length === 0)
    throw new ConfigError([
      `places (TOCSIN_PLACES): no .yaml file is in ${folder}: is the path right? For no subscriptions from files leave an empty one there`,
    ]);
  if (names.length > maxFiles)
    throw new ConfigError([
      `places (TOCSIN_PLACES): ${folder} has ${names.length} .yaml files, and at most ${maxFiles} are read: put several places into one file`,
    ]);
  const texts: Record<string, string> = {};
  const flaws: Flaw[] = [];
  let total = 0;
  for (const name of names) {
    const read = await inTime(readText(join(folder, name)), folder);
    if ('text' in read) texts[name] = read.text;
    else flaws.push({ file: name, line: read.line ?? 1, column: 1, text: read.problem });
    total += 'text' in read ? read.text.length : 0;
    if (total > maxTotal)
      throw new ConfigError([
        `places (TOCSIN_PLACES): the files in ${folder} have more than ${maxTotal / 1024 / 1024} MB: is it the right folder?`,
      ]);
  }
  const variableNames = Object.values(texts).flatMap((text) =>
    [...text.matchAll(variablePattern)].map(([, name = '']) => name),
  );
  const variables = [...new Set(variableNames)].filter(mayBeUsed).flatMap((name) => {
    const value = readVariable(env, name);
    return value === undefined ? [] : [[name, new Secret(value)] as const];
  });
  return { texts, flaws, variables: Object.fromEntries(variables) };
}

const mayBeUsed = (name: string): boolean => name.startsWith(variablePrefix);

/** Replaces variables by their values. @throws ConfigError that names a variable that is not set or may not be used */
export function fillVariables(text: string, { variables }: Pick<PlaceFiles, 'variables'>): string {
  return text.replaceAll(variablePattern, (_, name: string) => {
    if (!mayBeUsed(name))
      throw new ConfigError([
        `the variable ${name} cannot be used: only those whose names begin with ${variablePrefix} can, such as ${variablePrefix}HOOK`,
      ]);
    const value = variables[name];
    if (value === undefined)
      throw new ConfigError([`the variable ${name} is not set: set it in the environment or in .env`]);
    return value.reveal();
  });
}

/** Names that begin with a dot are files of editors and mounts. */
export const isPlaceFile = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name);

async function listFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isPlaceFile).sort();
  } catch (cause) {
    throw new ConfigError(
      [`places (TOCSIN_PLACES): the folder ${folder} cannot be read: is the path right?`],
      {
        cause,
      },
    );
  }
}

const unreadable = { problem: 'this file cannot be read: is it there, and may this user read it?' };
const unusual = (found: Stats) => ({
  problem: `this is ${found.isDirectory() ? 'a folder' : 'no ordinary file'}: take it away, or give it a name that does not end in .yaml`,
});

/** How long one read may take: a disk in the network may never answer, ms. */
const longestRead = 10 * second;

async function inTime<Result>(work: Promise<Result>, folder: string): Promise<Result> {
  const done = new AbortController();
  const late = setTimeout(longestRead, undefined, { ref: false, signal: done.signal }).then(() => {
    throw new ConfigError([
      `places (TOCSIN_PLACES): reading ${folder} takes longer than ${longestRead / second} s: does its disk answer?`,
    ]);
  });
  late.catch(() => undefined);
  return Promise.race([work, late]).finally(() => done.abort());
}

type Read = { readonly text: string } | { readonly problem: string; readonly line?: number };

/**
 * Reads a file after it was looked at: a pipe or a device never ends, and to open one may already do something. It is looked at
 * once more when it is open, because it may be another one by then.
 */
async function readText(path: string): Promise<Read> {
  const seen = await stat(path).catch(() => undefined);
  if (seen === undefined) return unreadable;
  if (!seen.isFile()) return unusual(seen);
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return unreadable;
  try {
    const found = await file.stat();
    if (!found.isFile()) return unusual(found);
    const bytes = Buffer.alloc(Math.min(found.size, maxSize) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > maxSize)
      return { problem: `this file is larger than ${maxSize / 1024 / 1024} MB: divide it into several` };
    const decoded = decodeText(bytes.subarray(0, length));
    return 'text' in decoded
      ? decoded
      : { line: decoded.line, problem: 'this line is not text in UTF-8: save the file as UTF-8' };
  } catch {
    return { problem: 'this file cannot be read to its end: try again' };
  } finally {
    await file.close();
  }
}
