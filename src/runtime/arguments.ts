import { writeFile } from 'node:fs/promises';
import { ConfigError, InputError } from './errors.ts';

interface Bounds {
  readonly text: string;
  readonly min: number;
  readonly max?: number;
}

/** Parses the number that was given for an option of the command line, in plain digits. @throws InputError */
export function parseNumber(
  name: string,
  { text, min, max = Number.POSITIVE_INFINITY, whole = false }: Bounds & { readonly whole?: boolean },
): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
  const upper = max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`;
  const number = whole ? 'a whole number' : 'a number';
  throw new InputError(`${name}: "${text}" is not valid; give ${number} from ${min}${upper}`);
}

/** Parses a whole number in the same way. @throws InputError */
export const parseInteger = (name: string, bounds: Bounds): number =>
  parseNumber(name, { ...bounds, whole: true });

/** Parses a date (the beginning of its day in UTC) or a date with a time. Returns Unix ms. @throws InputError */
export function parseDate(name: string, text: string): number {
  const at = Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (!Number.isNaN(at)) return at;
  throw new InputError(
    `${name}: "${text}" is not a date; give one such as 2022-11-01 or 2022-11-01T08:00:00Z`,
  );
}

/**
 * Runs what judges a value of the command line as it would a setting. What no waiting corrects is wrong input here.
 * @throws InputError, ConfigError if it may pass
 */
export async function asInput<Result>(judge: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof ConfigError) || error.mayPass) throw error;
    throw new InputError(error.message, { cause: error });
  }
}

/** Writes lines to the file that an option names. @throws InputError if it cannot be written, ConfigError if the disk is full */
export async function writeOutput(
  name: string,
  { path, lines }: { readonly path: string; readonly lines: readonly string[] },
): Promise<void> {
  try {
    await writeFile(path, [...lines, ''].join('\n'));
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new ConfigError([`${name}: there is no space for ${path}`], { cause, mayPass: true });
    throw new InputError(`${name}: ${path} cannot be written (${code}): is the path right?`, { cause });
  }
}

/** Returns the only argument, if there is one. @throws InputError if there are more: the rest would be ignored */
export function onlyArgument(given: readonly string[]): string | undefined {
  const [first, ...more] = given;
  if (more.length === 0) return first;
  throw new InputError(`"${given.join(' ')}" is more than one argument: give only one`);
}

/** @throws InputError if `npm start` is given anything: it would be ignored */
export function refuseArguments(given: readonly string[]): void {
  if (given.length === 0) return;
  throw new InputError(
    `npm start does not accept "${given[0]}": set what config/default.yaml lists, for example with TOCSIN_HTTP_PORT=8081 npm start`,
  );
}
