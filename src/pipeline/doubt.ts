import type { Reason } from '../alert/reason.ts';
import { join, msg } from '../language/text.ts';
import type { Claim } from '../store/store.ts';
import type { Outlet } from './delivery.ts';

interface Attempt {
  readonly claim: Pick<Claim, 'postInDoubt'>;
  readonly outlet: { readonly connection: Pick<Outlet['connection'], 'find'> };
}

const possiblyDoubled: Reason = { code: 'possibly_doubled', text: msg('possibly doubled') };

/** Returns the note that an earlier attempt may have arrived, on a platform where the bot cannot look for it; else null. */
export const noteOf = ({ claim, outlet }: Attempt): Reason | null =>
  claim.postInDoubt !== null && outlet.connection.find === undefined ? possiblyDoubled : null;

/** Adds that note to the reason why a message is not sent. */
export function withNote(reason: Reason, attempt: Attempt): Reason {
  const note = noteOf(attempt);
  return note === null ? reason : { ...note, text: join([reason.text, note.text], '; ') };
}
