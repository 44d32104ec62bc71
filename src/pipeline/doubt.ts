import type { Reason } from '../alert/reason.ts';
import type { Card } from '../card/card.ts';
import { say } from '../language/say.ts';
import { join, msg } from '../language/text.ts';
import type { Claim } from '../store/ports.ts';

const possiblyDoubled: Reason = { code: 'possibly_doubled', text: msg('possibly doubled') };

/** Returns the note that an earlier attempt may have arrived, which could not be known; null if none may have. */
export const noteOf = ({ postInDoubt }: Pick<Claim, 'postInDoubt'>): Reason | null =>
  postInDoubt === null ? null : possiblyDoubled;

const repeatLine = msg('May be a repeat: an earlier message may have arrived.');

/** Returns the card of a new message, which says that it may be a repeat if it may be one. */
export function withRepeatLine(
  card: Card<string>,
  claim: Pick<Claim, 'postInDoubt' | 'reader'>,
): Card<string> {
  if (noteOf(claim) === null) return card;
  const line = say(repeatLine, claim.reader);
  return { ...card, summary: card.summary === undefined ? line : `${card.summary}\n${line}` };
}

/** Adds that note to the reason why a message is not sent. */
export function withNote(reason: Reason, claim: Pick<Claim, 'postInDoubt'>): Reason {
  const note = noteOf(claim);
  return note === null ? reason : { ...note, text: join([reason.text, note.text], '; ') };
}
