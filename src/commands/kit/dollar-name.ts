import { msg, type Text } from '../../language/text.ts';

/** What the value called `dxy` is: the Federal Reserve's broad index is not ICE's, and stands about a fifth higher. */
export const dollarName = ({ dollarIndex }: { readonly dollarIndex?: string | undefined }): Text =>
  dollarIndex === 'BROAD' ? msg('Broad dollar index') : msg('Dollar index');
