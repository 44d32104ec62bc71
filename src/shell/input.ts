import { z } from 'zod';
import { withMessage } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import { readNumber } from '../language/typed-number.ts';
import type { Which } from '../places/editing.ts';
import { resolveMetric } from '../rules/naming.ts';
import { parseDuration } from '../runtime/units.ts';
import type { OwnThingKind } from './own-things.ts';
import type { NameKind } from './vocabulary.ts';

/**
 * Builds an input of commands. The fields of a schema's meta are these. `names`: what kind of thing the text names; it is
 * resolved, completed and corrected before the command sees it. `list`: the text may name several. `late`: a word without
 * its key goes to this input only after all inputs with names are given. `as`: what the text is, for platforms that have a
 * picker for it. `among`: the only names that are possible here. `offers`: values to offer where there are no names (zod
 * keeps no `examples` of transforms).
 */
const nameInput = (names: NameKind) => z.string().trim().min(1).meta({ names });

/** The most characters of a sentence. */
const maxSentence = 200;

const noneWords = new Set(['none', 'off', 'no']);
const allWords = new Set(['all', 'any', 'everything', '*']);
export const includesAll = (parts: readonly string[]): boolean =>
  parts.some((part) => allWords.has(part.toLowerCase()));
export const splitList = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');

/** `none` → null; anything else as it is. */
export const noneAsNull = (text: string): string | null =>
  noneWords.has(text.trim().toLowerCase()) ? null : text;

/** A text that `read` makes a value of; where it makes none, `problem` says what to give. */
export const readBy = <Value>(read: (text: string) => Value | undefined, problem: Text) =>
  z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', ...withMessage(problem) });
    return z.NEVER;
  });

const nameListInput = (names: NameKind) =>
  z
    .string()
    .transform(splitList)
    .transform((parts) => (includesAll(parts) ? ['*'] : parts))
    .pipe(z.array(z.string()).min(1))
    .meta({ names, list: true });

/** A tracked pair: `btc`, `BTC/USDT`, `$btc` become `BTCUSDT`. */
export const symbol = nameInput('symbol');
/** A kind, or own alerts of the place: `own-rule` for all, or a rule or hook, which becomes the kind of its alerts. */
export const ownKind = nameInput('ownKind');
export const commandName = nameInput('command');
/** The id of something that the place has. */
export const ownId = (thing: OwnThingKind) => nameInput(thing);
/** Reads the id of one thing, or "all". */
export const whichOf = (id: string | undefined): Which => (id?.toLowerCase() === 'all' ? 'all' : { id });
/** A metric that a rule can be about. */
export const metric = nameInput('metric').transform(resolveMetric).meta({ names: 'metric' });
/** A condition in CEL, as it was typed. The command parses it. */
export const condition = nameInput('condition');
/** When an alert clears: a level or a condition, as it was typed; `none` → null. */
export const clearing = condition.transform(noneAsNull).meta({ names: 'condition' });
/** An own alert in a person’s words. A word without its key is never one: the command says which words are. */
export const sentence = z.string().trim().min(1).max(maxSentence).meta({ late: true });
/** A level: `100k`, `2.5` or `$5M` → a number. */
export const level = readBy(readNumber, msg('give a number, such as 2.5 or 100k'));
/** An IANA time zone; an empty text → null: none is chosen. */
export const zone = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text))
  .meta({ names: 'zone' });

/** A tracked pair, or a group such as `watchlist` or `top20`, which stays as it is. */
export const symbolOrGroup = symbol.meta({ names: 'symbol', groups: true });

/** Symbols, separated by commas or spaces. `all` becomes `["*"]`; groups such as `top20` stay as they are. */
export const symbols = nameListInput('symbol').meta({ names: 'symbol', list: true, groups: true });
export const kinds = nameListInput('kind');

/** A whole number within bounds. */
export const wholeNumber = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** A number of posts a day, or `none` → null: any number. */
export const postsADay = readBy((text) => {
  const typed = noneAsNull(text.trim());
  return typed === null ? null : /^\d{1,3}$/.test(typed) ? Number(typed) : undefined;
}, msg('give a number of posts, such as 8, or none'));

interface SpanBounds {
  readonly min: string;
  readonly max: string;
}

/** A length of time such as `4h` or `1h30m` → ms. The bounds are written in the same form. */
export const timeSpan = ({ min, max }: SpanBounds) =>
  readBy(
    (text) => (isWithin(text, { min, max }) ? parseDuration(text) : undefined),
    msg('give a length of time from {min} to {max}, such as 4h', { min, max }),
  ).meta({ offers: ['1h', '4h', '12h', '1d', '7d'].filter((each) => isWithin(each, { min, max })) });

const isWithin = (text: string, { min, max }: SpanBounds): boolean => {
  const ms = parseDuration(text) ?? Number.NaN;
  return ms >= (parseDuration(min) ?? 0) && ms <= (parseDuration(max) ?? 0);
};

const clockTime = /^([01]?\d|2[0-3])(?::([0-5]\d))?$/;
const parseClockTime = (text: string): string | undefined => {
  const [, hours, minutes = '00'] = clockTime.exec(text.trim()) ?? [];
  return hours === undefined ? undefined : `${hours.padStart(2, '0')}:${minutes}`;
};

/** A local time: `8` or `08:00` → `08:00`. */
export const localTime = readBy(parseClockTime, msg('give a local time, such as 08:00'));

/** The longest mention or id of a role on any platform, characters. */
const maxRoleLength = 64;

/** A role as its platform names it, by mention or id; `none` → null. */
export const role = readBy((text) => {
  const named = noneAsNull(text.trim());
  return named === null || (named.length <= maxRoleLength && /^\S+$/.test(named)) ? named : undefined;
}, msg('give a role as @role or by its id, or none')).meta({ as: 'role', late: true });

/** Must be given to confirm the command. */
export const confirm = z.enum(['yes']).optional();

/** Quiet hours: `22:00-07:00` or `22-7` → local times, which may span midnight; `none` → null. */
export const quietHours = readBy((text) => {
  if (noneAsNull(text) === null) return null;
  const [from, to, ...rest] = text.split(/[-–]/).map(parseClockTime);
  const isRange = from !== undefined && to !== undefined && rest.length === 0 && from !== to;
  return isRange ? { from, to } : undefined;
}, msg('give two different times, such as 22:00-07:00')).meta({ offers: ['22:00-07:00'] });
