import { hash } from 'node:crypto';
import { joiner } from '../../runtime/links.ts';

/** What a button under a Telegram message does. */
export type Press =
  /** Runs the line and answers below the message. */
  | { readonly act: 'run'; readonly line: string }
  /** Runs the line and answers in place of the message. */
  | { readonly act: 'replace'; readonly line: string }
  /** Goes on asking for the command's inputs in the same message, from the input with the index `step`. */
  | { readonly act: 'lead'; readonly step: number; readonly line: string };

/** Maximum size of callback_data, bytes (Bot API: InlineKeyboardButton). */
const maxBytes = 64;

/** Returns one character that says what to do, followed by the line as it would be typed. Undefined if that is too long. */
export function callbackData(press: Press): string | undefined {
  const sign = press.act === 'lead' ? String(press.step) : press.act === 'run' ? '>' : '=';
  const data = `${sign}${press.line}`;
  const fits = press.line !== '' && sign.length === 1 && Buffer.byteLength(data) <= maxBytes;
  return fits ? data : undefined;
}

/** Returns the data of a button whose line is too long: its hash, by which the line is found in the message, which shows it. */
export const shownLineData = (line: string): string =>
  `#${hash('sha256', line.replaceAll(joiner, ''), 'base64url').slice(0, 22)}`;

/** Reads callback data; undefined if it is invalid. Whatever a client sends, the line is treated like a typed one. */
export function readCallbackData(data: string, texts: readonly string[] = []): Press | undefined {
  if (data.startsWith('#')) {
    const lines = texts.map((text) => text.replace(/^([^/]*: )?\//, ''));
    const line = lines.find((each) => shownLineData(each) === data);
    return line === undefined ? undefined : { act: 'run', line };
  }
  const [, sign = '', line = ''] = /^([0-9>=])(.+)$/s.exec(data) ?? [];
  if (line === '') return undefined;
  if (sign === '>') return { act: 'run', line };
  if (sign === '=') return { act: 'replace', line };
  return { act: 'lead', step: Number(sign), line };
}
