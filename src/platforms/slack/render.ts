import type { Severity } from '../../alert/alert.ts';
import type { Card } from '../../card/card.ts';
import { footerParts } from '../../card/footer.ts';
import { plainLine, plainLines } from '../../card/plain.ts';
import { title as heading } from '../../language/format.ts';
import { plainReader, say } from '../../language/say.ts';
import { bare, cut, escaped } from './text.ts';

/** Parts of chat.postMessage and chat.update (docs.slack.dev/reference/block-kit). */
export interface SlackMessage {
  /** What notifications and readers of screens say. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

interface TextObject {
  readonly type: 'plain_text' | 'mrkdwn';
  readonly text: string;
  /** Plain text: colons are no emoji. */
  readonly emoji?: false;
  /** mrkdwn: what looks like a link or a channel is not made one. */
  readonly verbatim?: true;
}

export type SlackBlock =
  | { readonly type: 'header'; readonly text: TextObject }
  | { readonly type: 'section'; readonly text: TextObject }
  | { readonly type: 'section'; readonly fields: readonly TextObject[] }
  | { readonly type: 'context'; readonly elements: readonly TextObject[] };

/** Characters and counts, as Slack's reference gives them; `total` is what its answers say of all text of a message. */
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
/** For header, label and footer, with what is around them. */
const reserved = 2_000;

const lights: Record<Severity, string> = { critical: '🔴', warning: '🟠', info: '🔵' };
const over = '🟢';
/** What stands where Slack wants something and there is nothing. */
const nothing = '–';

const plain = (text: string): TextObject => ({ type: 'plain_text', text, emoji: false });
const marked = (text: string): TextObject => ({ type: 'mrkdwn', text, verbatim: true });

/**
 * A card as blocks of Slack's. Nothing in it mentions anybody, links anywhere but where the card does, or is mark-up; no limit
 * is passed, and what has no room is cut at the end.
 */
export function renderSlack(card: Card<string>): SlackMessage {
  const { severity, status, summary = '', facts = [], table, reader = plainReader } = card;
  const light = status === 'resolved' ? over : severity === undefined ? '' : lights[severity];
  const whole = escaped(plainLine(card.title));
  const title = [light, whole || nothing].filter((part) => part !== '').join(' ');
  const about = [severity, status]
    .filter((each) => each !== undefined)
    .map((label) => escaped(say(heading(label), reader)))
    .join(' · ');
  const text = [...(title.length > limits.header ? [whole] : []), ...plainLines(summary).map(escaped)];
  const rows = (table?.rows ?? []).map((row) => escaped(`• ${row.map(plainLine).join(' · ')}`));
  const body = fit([...sections(text), ...factFields(facts), ...sections(rows)]);
  const footer = footerParts(card)
    .map((part) => escaped(plainLine(part)))
    .join(' · ');
  const end = [...(footer === '' ? [] : [plain(cut(footer, limits.context))]), ...linkOf(card.url)];
  return {
    text: cut([title, ...text].join('\n'), limits.text),
    blocks: [
      { type: 'header', text: plain(cut(title, limits.header)) },
      ...(about === '' ? [] : [{ type: 'context' as const, elements: [plain(cut(about, limits.context))] }]),
      ...body,
      ...(end.length === 0 ? [] : [{ type: 'context' as const, elements: end }]),
    ],
  };
}

/** Escaped lines in as few sections as hold them. */
function sections(lines: readonly string[]): SlackBlock[] {
  const texts: string[] = [];
  for (const line of lines) {
    const short = cut(line, limits.section);
    const joined = `${texts.at(-1) ?? ''}\n${short}`;
    if (texts.length > 0 && joined.length <= limits.section) texts[texts.length - 1] = joined;
    else texts.push(short);
  }
  return texts.map((each) => ({ type: 'section', text: plain(each) }));
}

/** Facts beside one another, a name in bold before its value. */
function factFields(facts: NonNullable<Card<string>['facts']>): SlackBlock[] {
  const fields = facts.map(({ name, value }) => {
    const bold = `*${cut(bare(name), limits.field / 2) || nothing}*`;
    return marked(cut(`${bold} ${bare(plainLines(value).join(' · '))}`.trim(), limits.field));
  });
  return Array.from({ length: Math.ceil(fields.length / limits.fields) }, (_, index) => ({
    type: 'section',
    fields: fields.slice(index * limits.fields, (index + 1) * limits.fields),
  }));
}

/** As many of the blocks as a message takes beside header, label and footer. */
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

/** A link that says where it leads; in Slack’s form a bar would end the address. */
function linkOf(url: string | undefined): TextObject[] {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return [];
  return [marked(`<${escaped(parsed.href).replaceAll('|', '%7C')}|${bare(parsed.host)}>`)];
}
