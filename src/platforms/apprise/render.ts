import type { Severity } from '../../alert/alert.ts';
import { bodyLines } from '../../card/body-lines.ts';
import type { Card } from '../../card/card.ts';
import { beginning, plainLine } from '../../card/plain.ts';

/** Characters of a message that most services show. */
const longest = 3_000;
const longestTitle = 250;
const nothing = '–';

const types: Readonly<Record<Severity, AppriseText['type']>> = {
  critical: 'failure',
  warning: 'warning',
  info: 'info',
};

/** The body of POST /notify/KEY (github.com/caronc/apprise-api). */
export interface AppriseText {
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
  const over = card.status === 'resolved';
  const { facts: _, ...end } = card;
  return {
    title: cut(plainLine(card.title), longestTitle) || nothing,
    body: cut(bodyLines(over ? end : card).join('\n'), longest) || nothing,
    type: over ? 'success' : types[card.severity ?? 'info'],
    format: 'text',
  };
}

/** Puts a zero-width space between `@` and the name. */
const unmentioned = (text: string): string => text.replace(/@(?=\S)/g, '@\u200b');

function cut(text: string, length: number): string {
  const safe = unmentioned(text);
  const begun = beginning(safe, length);
  return begun === safe ? safe : `${beginning(safe, length - 1)}…`;
}
