import { msg, type Text } from '../../language/text.ts';

/** Names the value `dxy`. The Federal Reserve's broad index differs from ICE's index: it is about a fifth higher. */
export const dollarName = ({ dollarIndex }: { readonly dollarIndex?: string | undefined }): Text =>
  dollarIndex === 'BROAD' ? msg('Broad dollar index') : msg('Dollar index');
