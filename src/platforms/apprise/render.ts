import type { Severity } from '../../alert/alert.ts';
import { bodyLines } from '../../card/body-lines.ts';
import type { Card } from '../../card/card.ts';
import { beginning, plainLine } from '../../card/plain.ts';

/** Characters that most services show of one message. */
const longest = 3_000;
const longestTitle = 250;
const nothing = '–';

const types: Readonly<Record<Severity, AppriseText['type']>> = {
  critical: 'failure',
  warning: 'warning',
  info: 'info',
};

/** What is posted to /notify/KEY (github.com/caronc/apprise-api). */
export interface AppriseText {
  readonly title: string;
  readonly body: string;
  readonly type: 'info' | 'success' | 'warning' | 'failure';
  /** Marked as text, nothing of it is mark-up at any of the services. */
  readonly format: 'text';
}

/** A card as plain text; an end says how it went and no more. What many services take for a mention is none. */
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

/** A zero-width space parts the sign from the name. */
const unmentioned = (text: string): string => text.replace(/@(?=\S)/g, '@\u200b');

function cut(text: string, length: number): string {
  const safe = unmentioned(text);
  const begun = beginning(safe, length);
  return begun === safe ? safe : `${beginning(safe, length - 1)}…`;
}
