/** The HTML that a bot may send, parsed as Telegram does (td, `parse_html`): anything unknown is an error. */

export interface Entity {
  readonly type: string;
  /** Offset in code points of the parsed text. */
  readonly offset: number;
  readonly length: number;
  /** The time of a `date_time` entity, Unix seconds. */
  readonly unixTime?: number;
}

export interface Parsed {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** An error in mark-up; the Bot API responds with its message after `Bad Request: `. */
export class MarkupError extends Error {
  override readonly name = 'MarkupError';
}

const types: Readonly<Record<string, string>> = {
  a: 'text_link',
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  'tg-spoiler': 'spoiler',
  'tg-emoji': 'custom_emoji',
  'tg-time': 'date_time',
  span: 'spoiler',
  pre: 'pre',
  code: 'code',
  blockquote: 'blockquote',
};
const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

const cannot = (what: string): MarkupError => new MarkupError(`can't parse entities: ${what}`);
const byteAt = (html: string, index: number): number => Buffer.byteLength(html.slice(0, index));
/** Returns the number of code points. */
export const length = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
/** Whether the first character of the second text completes the last one of the first. */
const joins = (before: string, after: string): boolean =>
  /[\ud800-\udbff]$/.test(before) && /^[\udc00-\udfff]/.test(after);
/** Text up to the next tag or character reference. */
const plain = /[^<&]+/y;

/** How far in the future a time may be, s (messageEntityFormattedDate). */
const farthest = 1_098 * 86_400;

/** Parses HTML. @param times whether the server supports dates and times, which Bot API 9.5 added. @throws MarkupError */
export function parseHtml(html: string, times = true): Parsed {
  const open: { name: string; offset: number; attributes: string }[] = [];
  const entities: Entity[] = [];
  let text = '';
  /** Length of the text, counted as it grows: at each tag all of it would be counted again. */
  let size = 0;
  const add = (more: string) => {
    size += length(more) - (joins(text, more) ? 1 : 0);
    text += more;
  };
  let at = 0;
  while (at < html.length) {
    const character = html.charAt(at);
    if (character === '&') {
      const [whole = '&', name] = /^&(#x[0-9a-f]{1,8}|#\d{1,8}|[a-z]+);/i.exec(html.slice(at, at + 12)) ?? [];
      add(name === undefined ? '&' : (decoded(name) ?? whole));
      at += whole.length;
    } else if (character === '<') {
      const end = html.indexOf('>', at);
      const [, slash, name = '', attributes = ''] =
        /^<(\/?)([a-zA-Z-]*)(\s[^>]*)?>$/s.exec(end < 0 ? '' : html.slice(at, end + 1)) ?? [];
      const tag = name.toLowerCase();
      if (slash === undefined) throw cannot(`Unclosed start tag at byte offset ${byteAt(html, at)}`);
      if (slash === '/') close(tag, at);
      else if (!(tag in types) || !mayCarry(tag, attributes) || (tag === 'tg-time' && !times)) {
        throw cannot(`Unsupported start tag "${tag}" at byte offset ${byteAt(html, at)}`);
      } else if (tag === 'blockquote' && open.some(({ name }) => name === tag)) {
        throw cannot(`Nested blockquote at byte offset ${byteAt(html, at)}`);
      } else open.push({ name: tag, offset: size, attributes });
      at = end + 1;
    } else {
      plain.lastIndex = at;
      const [run = character] = plain.exec(html) ?? [];
      add(run);
      at += run.length;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) {
    throw cannot(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  }
  return trimmed(text, [...entities, ...found(text)]);

  function close(tag: string, index: number): void {
    const last = open.pop();
    if (last === undefined) throw cannot(`Unexpected end tag at byte offset ${byteAt(html, index)}`);
    if (tag !== '' && tag !== last.name) {
      throw cannot(
        `Unmatched end tag at byte offset ${byteAt(html, index)}, expected "</${last.name}>", found "</${tag}>"`,
      );
    }
    const inside = size - last.offset;
    if (inside > 0) entities.push({ ...entityOf(last), offset: last.offset, length: inside });
  }
}

/** Decodes the character references of a text without tags. */
export const readText = (text: string): string =>
  text.replaceAll(/&(#x[0-9a-f]{1,8}|#\d{1,8}|[a-z]+);/gi, (whole, name: string) => decoded(name) ?? whole);

function decoded(name: string): string | undefined {
  if (!name.startsWith('#')) return named[name];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function entityOf({ name, attributes }: { readonly name: string; readonly attributes: string }) {
  if (name === 'blockquote' && /\sexpandable\b/.test(attributes)) return { type: 'expandable_blockquote' };
  const type = types[name] ?? '';
  return name === 'tg-time' ? { type, unixTime: unixOf(attributes) } : { type };
}

const unixOf = (attributes: string): number => Number(/\sunix="(\d{1,10})"/.exec(attributes)?.[1] ?? 'none');

const mayCarry = (tag: string, attributes: string): boolean => {
  if (tag === 'span') return /^\s+class\s*=\s*"?tg-spoiler"?\s*$/.test(attributes);
  if (tag !== 'tg-time') return true;
  const format = /\sformat="([^"]*)"/.exec(attributes)?.[1] ?? '';
  return /^(r|w?[dD]?[tT]?)$/.test(format) && unixOf(attributes) <= Date.now() / 1_000 + farthest;
};

/** Finds the entities that Telegram detects itself in plain text; they notify people or can be tapped. */
export function found(text: string): Entity[] {
  const patterns: [string, RegExp][] = [
    ['mention', /(?<![\w@])@[A-Za-z]\w{2,31}\b/g],
    ['url', /\b[a-z]+:\/\/\S+/gi],
    // A domain of a known top level, and an IPv4 address (td, `find_urls`), and what they are part of.
    ['url', /(?<![\w.])(?:[\w-]+\.)+(?:com|org|net|io|me|xyz|ru)\b\S*/gi],
    ['url', /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/g],
    ['bot_command', /(?<![\w/])\/[A-Za-z]\w{0,63}/g],
  ];
  return patterns.flatMap(([type, pattern]) =>
    [...text.matchAll(pattern)].map((match) => ({
      type,
      offset: length(text.slice(0, match.index)),
      length: length(match[0]),
    })),
  );
}

function trimmed(text: string, entities: Entity[]): Parsed {
  const begin = length(text) - length(text.trimStart());
  return {
    text: text.trim(),
    entities: entities.map((entity) => ({ ...entity, offset: Math.max(0, entity.offset - begin) })),
  };
}
