import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { ConfigError } from '../../runtime/errors.ts';
import { isTree, type Tree } from './config-problem.ts';

/** Reads the settings in a file. @throws ConfigError */
export const readSettings = (path: string): Tree => readYaml(readFile(path), path);

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError([`TOCSIN_CONFIG: the file ${path} cannot be read: is the path right?`], { cause });
  }
}

/** Messages of yaml that contain a piece of a value, which may be a secret. */
const quotesValue = /\btag\b|escape sequence|extra characters/i;
const unquoted = 'put a value that begins with a special character, such as * or !, into single quotes';

/** Reads settings. @param name what the text is called in errors. @throws ConfigError */
export function readYaml(text: string, name: string): Tree {
  try {
    const value: unknown = parse(text, { logLevel: 'error' }) ?? {};
    if (isTree(value)) return value;
  } catch (cause) {
    if (cause instanceof YAMLParseError) {
      const line = cause.linePos?.[0].line;
      const what = cause.message.split('\n')[0]?.replace(/ at line \d+, column \d+:$/, '') ?? '';
      throw new ConfigError(
        [`${name}: line ${line ?? '?'} is not valid YAML: ${quotesValue.test(what) ? unquoted : what}`],
        { cause },
      );
    }
    // An alias without its anchor is detected only when the document is converted to a value.
    if (cause instanceof ReferenceError) {
      const what = cause.message.startsWith('Unresolved alias') ? unquoted : cause.message;
      throw new ConfigError([`${name}: ${what}`], { cause });
    }
    throw cause;
  }
  throw new ConfigError([`${name}: must hold settings by name, such as "log: { level: debug }"`]);
}
