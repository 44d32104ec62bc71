import { type Card, linksOf, toneOf } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { labelTitle } from '../../language/format.ts';
import { plainReader, say } from '../../language/say.ts';
import { chunksOf } from '../../runtime/chunks.ts';
import { bare, cut, escaped } from './text.ts';

/** Arguments of chat.postMessage and chat.update (docs.slack.dev/reference/block-kit). */
interface SlackMessage {
  /** The text for notifications and screen readers. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

interface TextObject {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  /** For plain text: colons do not become emoji. */
  readonly emoji?: false;
  /** For mrkdwn: text that looks like a link or a channel does not become one. */
  readonly verbatim?: true;
}

type SlackBlock =
  | { readonly type: 'header'; readonly text: TextObject }
  | { readonly type: 'section'; readonly text: TextObject }
  | { readonly type: 'section'; readonly fields: readonly TextObject[] }
  | { readonly type: 'context'; readonly elements: readonly TextObject[] };

/**
 * Limits from Slack's reference, in characters and counts; `total` is the limit of all text of a message that its
 * responses state.
 */
const limits = {
  header: 150,
  section: 3_000,
  field: 2_000,
  fields: 10,
  context: 400,
  text: 3_000,
  blocks: 50,
  total: 13_200,
};
/** Characters reserved for header, label and footer, with what is around them. */
const reserved = 2_000;

const lights = { critical: '🔴', warning: '🟠', info: '🔵', resolved: '🟢' };
/** Placeholder where Slack requires a text and there is none. */
const nothing = '–';

const plainText = (text: string): TextObject => ({ type: 'plain_text', text, emoji: false });
const mrkdwn = (text: string): TextObject => ({ type: 'mrkdwn', text, verbatim: true });

/**
 * Renders a card as blocks of Slack. No text in it mentions anybody, becomes mark-up, or links anywhere except to the
 * card's own link. All limits are kept: text that does not fit is cut at the end.
 */
export function renderSlack(card: Card<string>): SlackMessage {
  const { severity, status, summary = '', facts = [], table, reader = plainReader } = card;
  const tone = toneOf(card);
  const light = tone === undefined ? '' : lights[tone];
  const escapedTitle = escaped(plainLine(card.title));
  const title = [light, escapedTitle || nothing].filter((part) => part !== '').join(' ');
  const labels = [severity, status]
    .filter((each) => each !== undefined)
    .map((label) => escaped(say(labelTitle(label), reader)))
    .join(' · ');
  const text = [...(title.length > limits.header ? [escapedTitle] : []), ...plainLines(summary).map(escaped)];
  const rows = (table?.rows ?? []).map((row) => escaped(`• ${row.map(plainLine).join(' · ')}`));
  const body = fit([...sections(text), ...factFields(facts), ...sections(rows)]);
  const footer = footerParts(card)
    .map((part) => escaped(plainLine(part)))
    .join(' · ');
  const footerElements = [
    ...(footer === '' ? [] : [plainText(cut(footer, limits.context))]),
    ...linkOf(card.url),
    ...linksOf(card).map(({ label, url }) => mrkdwn(`<${escaped(url)}|${bare(label)}>`)),
  ];
  return {
    text: cut([title, ...text].join('\n'), limits.text),
    blocks: [
      { type: 'header', text: plainText(cut(title, limits.header)) },
      ...(labels === ''
        ? []
        : [{ type: 'context' as const, elements: [plainText(cut(labels, limits.context))] }]),
      ...body,
      ...(footerElements.length === 0 ? [] : [{ type: 'context' as const, elements: footerElements }]),
    ],
  };
}

/** Puts escaped lines into as few sections as possible. */
function sections(lines: readonly string[]): SlackBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const short = cut(line, limits.section);
    const joined = `${texts.at(-1) ?? ''}\n${short}`;
    if (texts.length > 0 && joined.length <= limits.section) texts[texts.length - 1] = joined;
    else texts.push(short);
  }
  return texts.map((each) => ({ type: 'section', text: plainText(each) }));
}

/** Puts facts beside one another, each with its name in bold before its value. */
function factFields(facts: NonNullable<Card<string>['facts']>): SlackBlock[] {
  const fields = facts.map(({ name, value }) => {
    const bold = `*${cut(bare(name), limits.field / 2) || nothing}*`;
    return mrkdwn(cut(`${bold} ${bare(plainLines(value).join(' · '))}`.trim(), limits.field));
  });
  return chunksOf(fields, limits.fields).map((part) => ({ type: 'section', fields: part }));
}

/** Returns as many of the blocks as fit into a message beside header, label and footer. */
function fit(blocks: readonly SlackBlock[]): SlackBlock[] {
  const fitting: SlackBlock[] = [];
  let room = limits.total - reserved;
  for (const block of blocks.slice(0, limits.blocks - 3)) {
    const size = lengthOf(block);
    if (size > room) {
      if ('text' in block && room > 1)
        fitting.push({ ...block, text: { ...block.text, text: cut(block.text.text, room) } });
      break;
    }
    fitting.push(block);
    room -= size;
  }
  return fitting;
}

function lengthOf(block: SlackBlock): number {
  const texts = 'text' in block ? [block.text] : 'fields' in block ? block.fields : block.elements;
  return texts.reduce((sum, { text }) => sum + text.length, 0);
}

/** Returns a link whose text is its host. In Slack’s syntax a bar in the address would end it, so it is encoded. */
function linkOf(url: string | undefined): TextObject[] {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return [];
  return [mrkdwn(`<${escaped(parsed.href).replaceAll('|', '%7C')}|${bare(parsed.host)}>`)];
}
