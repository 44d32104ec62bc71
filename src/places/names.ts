import { quoted } from '../language/closest.ts';
import { msg, type Text } from '../language/text.ts';

export const unknownMarket = (text: string): Text => msg('Unknown market {text}', { text: quoted(text) });
export const unknownKind = (text: string): Text =>
  msg('Unknown kind of alert {text}', { text: quoted(text) });
