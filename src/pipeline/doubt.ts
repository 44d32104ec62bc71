import type { Reason } from '../alert/reason.ts';
import type { Card } from '../card/card.ts';
import { say } from '../language/say.ts';
import { join, msg } from '../language/text.ts';
import type { Claim } from '../store/ports.ts';
import type { Outlet, Planned } from './delivery.ts';

interface Attempt {
  readonly claim: Pick<Claim, 'postInDoubt'>;
  readonly outlet: { readonly connection: Pick<Outlet['connection'], 'find'> };
  readonly unfound?: Planned['unfound'];
}

const possiblyDoubled: Reason = { code: 'possibly_doubled', text: msg('possibly doubled') };

/** Returns the note that an earlier attempt may have arrived, if the platform could not tell whether it did; else null. */
export const noteOf = ({ claim, outlet, unfound = false }: Attempt): Reason | null =>
  claim.postInDoubt !== null && (unfound || outlet.connection.find === undefined) ? possiblyDoubled : null;

const repeatLine = msg('May be a repeat: an earlier message may have arrived.');

/** Returns the card of a new message, which says that it may be a repeat if it may be one. */
export function withRepeatLine(
  card: Card<string>,
  attempt: { readonly claim: Pick<Claim, 'postInDoubt' | 'reader'> } & Attempt,
): Card<string> {
  if (noteOf(attempt) === null) return card;
  const line = say(repeatLine, attempt.claim.reader);
  return { ...card, summary: card.summary === undefined ? line : `${card.summary}\n${line}` };
}

/** Adds that note to the reason why a message is not sent. */
export function withNote(reason: Reason, attempt: Attempt): Reason {
  const note = noteOf(attempt);
  return note === null ? reason : { ...note, text: join([reason.text, note.text], '; ') };
}
