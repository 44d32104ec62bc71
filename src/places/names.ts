import { quoted } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';

export const unknownMarket = (text: string): Text => msg('Unknown market {text}', { text: quoted(text) });
export const unknownKind = (text: string): Text =>
  msg('Unknown kind of alert {text}', { text: quoted(text) });

/** The error for a name that is looked up among the markets, before these are known. */
export const stillLoading = (text: string): UserError =>
  new UserError(
    msg(
      'The list of markets is still loading, so {text} can’t be looked up. Give the full pair, e.g. BTCUSDT.',
      { text: quoted(text) },
    ),
    { code: 'unready' },
  );
