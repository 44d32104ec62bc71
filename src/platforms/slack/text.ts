import { cutBetween, plainLine } from '../../card/plain.ts';

/** Control characters of Slack's text objects: by them links and mentions begin (docs.slack.dev, "Escaping text"). */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Foreign text where Slack finds no link and no mention, three to five times as long at the most. */
export const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign] ?? '');

/** mrkdwn has no escapes of its own: what would begin emphasis, code or an emoji gives way to its like. */
const alike: Readonly<Record<string, string>> = {
  '*': '\u2217',
  _: '\u02cd',
  '~': '\u223c',
  '`': '\u02cb',
  ':': '\ua789',
};

/** One line of foreign text, without the beginning of a line, in mrkdwn, where it means nothing but itself. */
export const bare = (text: string): string =>
  escaped(plainLine(text).replace(/[*_~`]|:(?=[\w+-]+:)/g, (sign) => alike[sign] ?? ''));

/** Escaped text, never inside an entity. */
export const cut = cutBetween(/&(?:amp|lt|gt);|./gsu);
