import type { Reason } from '../alert/reason.ts';
import { join, msg } from '../language/text.ts';
import type { Claim } from '../store/store.ts';
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

/** Adds that note to the reason why a message is not sent. */
export function withNote(reason: Reason, attempt: Attempt): Reason {
  const note = noteOf(attempt);
  return note === null ? reason : { ...note, text: join([reason.text, note.text], '; ') };
}
