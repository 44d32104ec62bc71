import { z } from 'zod';
import { listOf, msg, msgIn, type Text } from '../language/text.ts';
import { plain } from './plain.ts';
import { refusals, type Signal } from './signal.ts';
import { isBody, isConfidential } from './template.ts';

/** How many bodies of a hook are kept, for `hook show`. */
export const maxSeen = 5;
/** Characters of a body that are kept, and how many of its signals. */
const maxBody = 300;
const maxShown = 3;

/** A body as it came, without its secrets, and how it was read. */
export const seenBody = z.object({
  /** Market ms. */
  at: z.number(),
  body: z.string(),
  /** Why it was refused; absent if it was taken. */
  refused: z.enum(refusals).optional(),
  /** It had come before. */
  isKnown: z.literal(true).optional(),
  signals: z.array(
    z.object({
      act: z.enum(['begin', 'end', 'change', 'unknown']),
      about: z.string(),
      direction: z.enum(['up', 'down']).optional(),
    }),
  ),
  count: z.number(),
});
export type SeenBody = z.output<typeof seenBody>;

/** Returns what is kept of a body. @param content what the body is made of; undefined if it is nothing that can be read */
export const seenBodyOf = (
  {
    content,
    text,
    signals,
  }: { readonly content?: unknown; readonly text: string; readonly signals: readonly Signal[] },
  given: Pick<SeenBody, 'at'> & Partial<SeenBody>,
): SeenBody => ({
  body: plain(
    content === undefined || typeof content === 'string' ? maskText(text) : JSON.stringify(masked(content)),
    maxBody,
  ),
  signals: signals.slice(0, maxShown).map(({ ended, change, identity, direction, title }) => ({
    act: ended
      ? 'end'
      : change !== undefined
        ? 'change'
        : identity.action !== undefined
          ? 'unknown'
          : 'begin',
    about: identity.symbol ?? identity.ticker ?? identity.name ?? title,
    direction,
  })),
  count: signals.length,
  ...given,
});

const mask = '•••';
/** How much of a body is looked at: only its beginning is shown. */
const maxDepth = 6;
const maxMembers = 50;

/** Returns a value without what looks like a secret, and no larger than what is shown. */
function masked(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : 'NaN';
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, maxMembers).map((each) => masked(each, depth + 1));
    return depth === 0 && shown.length === 1 ? shown[0] : shown;
  }
  if (!isBody(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxMembers)
      .map(([name, each]) => [name, isConfidential(name) ? mask : masked(each, depth + 1)]),
  );
}

/** Keys, tokens and licences: long, of letters and digits mixed, or of many digits and no time. */
const secretLike = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}|(?<![\w.])[2-9]\d{8,}(?![\w.])/g;
const named = /([\w.-]+)(["']?\s*[=:]\s*["']?)[^\s"',;&]+/g;

const maskText = (text: string): string =>
  text
    .slice(0, 4 * maxBody)
    .replaceAll(named, (...[whole, name, between]: string[]) =>
      isConfidential(name ?? '') ? `${name}${between}${mask}` : (whole ?? ''),
    )
    .replaceAll(secretLike, mask);

export const directionTexts = {
  up: msgIn('direction', 'long'),
  down: msgIn('direction', 'short'),
} as const;

const acts: Readonly<Record<SeenBody['signals'][number]['act'], Text>> = {
  begin: msg('alert'),
  end: msg('end'),
  change: msg('change'),
  unknown: msg('action not understood'),
};

/** Says how a body was read: `BTCUSDT: alert, long`. */
export function sayReading({ refused, isKnown, signals, count: all }: SeenBody): Text {
  if (refused !== undefined) return msg('refused');
  if (isKnown) return msg('a repetition, ignored');
  const read = signals.map(({ act, about, direction }): Text => {
    const parts = direction === undefined ? [acts[act]] : [acts[act], directionTexts[direction]];
    return about === '' ? listOf(parts) : msg('{name}: {parts}', { name: about, parts: listOf(parts) });
  });
  const more = all - signals.length;
  return listOf([...read, ...(more > 0 ? [msg('and {n, number} more', { n: more })] : [])]);
}
