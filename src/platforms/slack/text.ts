import { cutBetween, plainLine } from '../../card/plain.ts';

/** Control characters of Slack's text objects: links and mentions begin with them (docs.slack.dev, "Escaping text"). */
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text so that Slack finds no link or mention in it. A character becomes at most five. */
export const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign] ?? '');

/** mrkdwn has no escapes for these characters, which begin emphasis, code or an emoji; similar characters replace them. */
const alike: Readonly<Record<string, string>> = {
  '*': '\u2217',
  _: '\u02cd',
  '~': '\u223c',
  '`': '\u02cb',
  ':': '\ua789',
};

/** Makes one line of text safe for mrkdwn: all of it is displayed literally. Must not stand at the beginning of a line. */
export const bare = (text: string): string =>
  escaped(plainLine(text).replace(/[*_~`]|:(?=[\w+-]+:)/g, (sign) => alike[sign] ?? ''));

/** Cuts escaped text, never inside an entity. */
export const cut = cutBetween(/&(?:amp|lt|gt);|./gsu);
