import { readJson } from './loose-json.ts';
import { type HookBody, isBody } from './template.ts';

/**
 * Returns what a text is made of: the values of JSON (one, several, or one in each line), the fields of a form or of `KEY=VALUE`
 * lines, or the text itself, which is no list. Undefined: it begins as JSON and is none.
 */
export function contentOf(given: string, contentType: string): string | readonly unknown[] | undefined {
  const text = given.replace(/^```\w*\s*([[{][\s\S]*)```$/, '$1').trim();
  if (/^[[{]/.test(text)) return readJson(text) ?? linesOf(text);
  if (/^".*"$/s.test(text)) {
    const [value] = readJson(text) ?? [];
    if (typeof value === 'string') return contentOf(value.trim(), '');
  }
  const fields = formOf(text, contentType) ?? fieldsOf(text);
  if (fields === undefined) return text;
  // Programs that know forms alone put JSON into a field of it.
  const [only, ...others] = Object.values(fields);
  const inner =
    others.length === 0 && typeof only === 'string' && only.startsWith('{') ? readJson(only) : undefined;
  return inner ?? [fields];
}

/** Returns the values of a text with one in each line, of which some may be broken: these are undefined. */
function linesOf(text: string): readonly unknown[] | undefined {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const values = lines.map((line) => readJson(line.trim())?.[0]);
  return lines.length > 1 && values.some(isBody) ? values : undefined;
}

const form = /^[\w.%[\]-]+=[^\s&]*(?:&[\w.%[\]-]+=[^\s&]*)+$/;

function formOf(text: string, contentType: string): HookBody | undefined {
  const [, boundary] = /^multipart\/form-data;.*boundary="?([^";]+)/i.exec(contentType) ?? [];
  if (boundary !== undefined) return Object.fromEntries(text.split(`--${boundary}`).flatMap(partOf));
  const isForm = contentType.includes('x-www-form-urlencoded') && /^[^\s=&]+=/.test(text);
  return isForm || form.test(text) ? Object.fromEntries(new URLSearchParams(text)) : undefined;
}

/** A whole line that is one field, and one of several in a line. */
const lineField = /^([\p{L}_][\p{L}\p{N}_./ -]{0,39}?)\s*(=|:(?=\s|$))\s*(.*)$/u;
const wordField = /[\s,;]*([A-Za-z_][\w.-]*)=("[^"]*"|'[^']*'|[^\s,;"']*)(?=[\s,;]|$)/y;

/** Returns the fields of a text whose every line is `NAME=VALUE`, several of these, or `Name: value`. */
function fieldsOf(text: string): HookBody | undefined {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const fields = lines.map((line) => wordFieldsOf(line.trim()) ?? lineFieldOf(line.trim()));
  const isCertain = lines.length > 1 || /^[\w.-]+\s*=/.test(text);
  return isCertain && !fields.includes(undefined)
    ? Object.fromEntries(fields.flatMap((each) => each ?? []))
    : undefined;
}

type Field = readonly [name: string, value: string];

function partOf(part: string): readonly Field[] {
  const [head = '', ...value] = part.split(/\r?\n\r?\n/);
  const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
  return name === undefined ? [] : [[name, value.join('\n\n').trim()]];
}

export function lineFieldOf(line: string): readonly Field[] | undefined {
  const [, name, , value = ''] = lineField.exec(line) ?? [];
  return name === undefined ? undefined : [[name, unquoted(value)]];
}

function wordFieldsOf(line: string): readonly Field[] | undefined {
  const fields: Field[] = [];
  wordField.lastIndex = 0;
  for (let at = 0; at < line.length; at = wordField.lastIndex) {
    const [, name, value = ''] = wordField.exec(line) ?? [];
    if (name === undefined) return undefined;
    fields.push([name, unquoted(value)]);
  }
  return fields;
}

const unquoted = (value: string): string => value.replace(/^(["'])(.*)\1$/s, '$2');
