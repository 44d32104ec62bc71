import { bodyLines } from '../../card/body-lines.ts';
import { type Card, toneOf } from '../../card/card.ts';
import { cutBytes, plainLine } from '../../card/plain.ts';

/** Bytes of UTF-8 in a message; ntfy turns a longer one into a file (docs.ntfy.sh/publish/#limitations). */
const maxMessageBytes = 4_096;
const maxTitleBytes = 250;

/** Emoji short codes of ntfy, shown before the title. */
const tags = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
  resolved: 'white_check_mark',
};

interface NtfyText {
  readonly title: string;
  readonly message: string;
  readonly tags: readonly string[];
}

/** Renders a card as plain text, one line for each fact or row. */
export function renderNtfy(card: Card<string>): NtfyText {
  const { title } = card;
  const tone = toneOf(card);
  return {
    title: cutBytes(plainLine(title), maxTitleBytes),
    message: cutBytes(bodyLines(card).join('\n'), maxMessageBytes),
    tags: tone === undefined ? [] : [tags[tone]],
  };
}
