import { bodyLines } from '../../card/body-lines.ts';
import { type Card, isOver, toneOf } from '../../card/card.ts';
import { beginning, plainLine } from '../../card/plain.ts';

/** Characters of a message that most services show. */
const maxBody = 3_000;
const maxTitle = 250;
const nothing = '–';

const types = {
  critical: 'failure',
  warning: 'warning',
  info: 'info',
  resolved: 'success',
} as const;

/** The body of POST /notify/KEY (github.com/caronc/apprise-api). */
interface AppriseText {
  readonly title: string;
  readonly body: string;
  readonly type: 'info' | 'success' | 'warning' | 'failure';
  /** With the format `text`, no service interprets any of it as mark-up. */
  readonly format: 'text';
}

/**
 * Renders a card as plain text. The message of an alert's end has no facts. Text that services would take for a mention
 * is changed so that it is none.
 */
export function renderApprise(card: Card<string>): AppriseText {
  const { facts: _, ...end } = card;
  return {
    title: cut(plainLine(card.title), maxTitle) || nothing,
    body: cut(bodyLines(isOver(card) ? end : card).join('\n'), maxBody) || nothing,
    type: types[toneOf(card) ?? 'info'],
    format: 'text',
  };
}

/** Puts a zero-width space between `@` and the name. */
const withoutMentions = (text: string): string => text.replace(/@(?=\S)/g, '@\u200b');

function cut(text: string, length: number): string {
  const safe = withoutMentions(text);
  const start = beginning(safe, length);
  return start === safe ? safe : `${beginning(safe, length - 1)}…`;
}
