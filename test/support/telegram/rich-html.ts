/** Rich HTML (Bot API 10.1), parsed strictly: anything that its documentation does not name is an error. */
import { type Entity, found, length, MarkupError, readText } from './html.ts';

export interface RichBlock {
  readonly type: string;
  /** The text of a heading, paragraph, cell and so on. */
  readonly text: string;
  readonly blocks: readonly RichBlock[];
  /** For a picture: which of the media sent with the message it shows. */
  readonly media?: string;
}

export interface ParsedRich {
  /** The text as a person reads it: one line per block, tabs between cells. */
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly blocks: readonly RichBlock[];
}

const limits = { characters: 32_768, blocks: 500, depth: 16, columns: 20, media: 50 };
const attributes = (...names: string[]): readonly string[] => names;

/** Inline elements and their attributes. */
const inline = new Map<string, readonly string[]>([
  ...['b', 'strong', 'i', 'em', 'u', 'ins', 's', 'strike', 'del', 'code', 'mark', 'sub', 'sup'].map(
    (name): [string, readonly string[]] => [name, []],
  ),
  ['tg-spoiler', []],
  ['a', attributes('href', 'name')],
  ['tg-time', attributes('unix', 'format')],
]);
/** Blocks that consist of one line. */
const lines = new Set([
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'pre',
  'footer',
  'summary',
  'caption',
  'th',
  'td',
]);
const cellAttributes = attributes('align', 'valign', 'colspan', 'rowspan');
const blockAttributes: Readonly<Record<string, readonly string[]>> = {
  table: attributes('bordered', 'striped'),
  details: attributes('open'),
  ol: attributes('start', 'type', 'reversed'),
  img: attributes('src', 'alt', 'tg-spoiler'),
  th: cellAttributes,
  td: cellAttributes,
};
const blocks = new Set([
  ...[...lines, 'tr', 'table', 'details', 'blockquote', 'aside', 'ul', 'ol', 'li'],
  ...['figure', 'figcaption', 'cite', 'img', 'hr'],
]);
const empty = new Set(['br', 'hr', 'img']);
/** `parents`: the only elements in which an element may stand; `only`: the only children that an element may have. */
const parents: Readonly<Record<string, readonly string[]>> = {
  tr: ['table'],
  caption: ['table'],
  th: ['tr'],
  td: ['tr'],
  li: ['ul', 'ol'],
  summary: ['details'],
  figcaption: ['figure'],
};
const only: Readonly<Record<string, readonly string[]>> = {
  table: ['tr', 'caption'],
  tr: ['th', 'td'],
  ul: ['li'],
  ol: ['li'],
};
/** Block elements that do not count against the limit of blocks. */
const uncounted = new Set(['th', 'td', 'summary', 'caption', 'figcaption', 'cite']);

interface Open {
  readonly name: string;
  text: string;
  readonly blocks: RichBlock[];
  readonly offset: number;
  readonly given: ReadonlyMap<string, string>;
}

const cannot = (what: string) => new MarkupError(`can't parse rich message: ${what}`);
const times = /^\d{1,10}$/;
const formats = /^(r|w?[dD]?[tT]?)$/;

/** Parses rich HTML. @param media ids of the media sent with the message. @throws MarkupError */
export function parseRichHtml(html: string, media: ReadonlySet<string> = new Set()): ParsedRich {
  const root: Open = { name: '', text: '', blocks: [], offset: 0, given: new Map() };
  const open = [root];
  const entities: Entity[] = [];
  const counted = { characters: 0, blocks: 0, media: 0 };
  const top = (): Open => open.at(-1) ?? root;
  const holder = (): Open => open.findLast(({ name }) => !inline.has(name)) ?? root;

  for (const [piece] of html.matchAll(/<[^>]*>|[^<]+|</gs)) {
    if (piece.startsWith('<')) tag(piece);
    else words(readText(piece).replaceAll(/\s+/g, ' '));
  }
  if (open.length > 1) throw cannot(`"${top().name}" is not closed`);
  if (counted.characters > limits.characters) throw new MarkupError('RICH_MESSAGE_TOO_LONG');
  if (counted.blocks > limits.blocks) throw new MarkupError('RICH_MESSAGE_BLOCKS_TOO_MUCH');
  if (counted.media > limits.media) throw new MarkupError('RICH_MESSAGE_MEDIA_TOO_MUCH');
  const text = textOf(root).trim();
  if (counted.characters === 0 && counted.media === 0) throw new MarkupError('RICH_MESSAGE_CONTENT_REQUIRED');
  return { text, entities: [...entities, ...found(text)], blocks: root.blocks };

  function words(text: string): void {
    const { name } = holder();
    if (name in only && text.trim() !== '') throw cannot(`text stands in "${name}"`);
    if (name in only) return;
    counted.characters += length(text);
    holder().text += text;
  }

  function tag(piece: string): void {
    const [, slash, name = '', rest = ''] =
      /^<(\/?)([a-z][a-z0-9-]*)((?:\s[^>]*?)?)\s*\/?>$/s.exec(piece) ?? [];
    if (slash === undefined) throw cannot(`unclosed tag ${piece.slice(0, 20)}`);
    if (slash === '/') close(name);
    else if (name === 'br') words('\n');
    else enter(name, rest);
  }

  function enter(name: string, rest: string): void {
    const allowed = inline.get(name) ?? (blocks.has(name) ? (blockAttributes[name] ?? []) : undefined);
    if (allowed === undefined) throw cannot(`unsupported tag "${name}"`);
    const given = attributesOf(rest, { name, allowed });
    if (!inline.has(name)) begin(name);
    open.push({ name, text: '', blocks: [], offset: length(holder().text), given });
    if (open.length - 1 > limits.depth) throw new MarkupError('RICH_MESSAGE_DEPTH_INVALID');
    if (empty.has(name)) close(name);
  }

  function begin(name: string): void {
    const parent = top();
    if (inline.has(parent.name) || lines.has(parent.name))
      throw cannot(`"${name}" stands in "${parent.name}"`);
    const needed = parents[name];
    const accepted = only[parent.name];
    if (needed?.includes(parent.name) === false || accepted?.includes(name) === false) {
      throw cannot(`"${name}" stands in "${parent.name}"`);
    }
    if (!uncounted.has(name)) counted.blocks += 1;
  }

  function close(name: string): void {
    const last = open.pop();
    if (last === undefined || last.name !== name) throw cannot(`"</${name}>" closes "${last?.name}"`);
    if (inline.has(name)) {
      // The text of an inline element was added to the enclosing block.
      const size = length(holder().text) - last.offset;
      const unixTime = last.given.get('unix');
      if (size > 0) {
        const type = name === 'tg-time' ? 'date_time' : name === 'a' ? 'text_link' : name;
        entities.push({
          type,
          offset: last.offset,
          length: size,
          ...(unixTime !== undefined && { unixTime: Number(unixTime) }),
        });
      }
      return;
    }
    if (name === 'tr' && last.blocks.length > limits.columns) {
      throw new MarkupError('RICH_MESSAGE_TABLE_COLS_TOO_MUCH');
    }
    const filled = /^h\d$|^p$|^summary$/.test(name)
      ? last.text.trim() !== ''
      : !(name in only) || last.blocks.length > 0;
    if (!filled) throw cannot(`"${name}" is empty`);
    top().blocks.push({
      type: name,
      text: last.text.trim(),
      blocks: last.blocks,
      ...(name === 'img' && { media: picture(last.given.get('src') ?? '') }),
    });
    if (name === 'img') counted.media += 1;
  }

  function picture(source: string): string {
    const [, id = ''] = /^tg:\/\/photo\?id=([\w-]{1,64})$/.exec(source) ?? [];
    if (!media.has(id)) throw new MarkupError(`can't parse InputRichMessageMedia: media not found`);
    return id;
  }
}

function attributesOf(
  text: string,
  { name, allowed }: { readonly name: string; readonly allowed: readonly string[] },
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const rest = text.replaceAll(/\s([a-z-]+)(?:="([^"]*)")?/g, (_whole, key: string, value = '') => {
    given.set(key, readText(value));
    return '';
  });
  const strange = [...given.keys()].find((key) => !allowed.includes(key));
  if (rest.trim() !== '' || strange !== undefined) throw cannot(`"${name}" has ${strange ?? rest}`);
  if (name === 'tg-time') {
    const [unix = '', format = ''] = [given.get('unix'), given.get('format')];
    if (!times.test(unix) || !formats.test(format)) throw new MarkupError('RICH_MESSAGE_DATE_INVALID');
  }
  if (/^t[hd]$/.test(name) && !/^(left|center|right)$/.test(given.get('align') ?? 'left')) {
    throw cannot(`"${name}" stands ${given.get('align')}`);
  }
  return given;
}

/** Joins the text: one line per block and per row of a table. */
const textOf = ({ text, blocks: inner }: Pick<Open, 'text' | 'blocks'>): string =>
  [
    text,
    ...inner.map((block) =>
      block.type === 'tr'
        ? block.blocks.map((cell) => cell.text).join('\t')
        : textOf({ text: block.text, blocks: [...block.blocks] }),
    ),
  ]
    .filter((line) => line !== '')
    .join('\n');
