// biome-ignore-all lint/complexity/useMaxParams: the settings of a detector read as a table, of default, meaning and range
import { z } from 'zod';
import { duration } from '../../runtime/units.ts';

/** What a number may be, as mathematics writes it: `(0, 1]` is more than 0 and at most 1. */
type Range = `${'(' | '['}${number}, ${number | '∞'}${')' | ']'}`;

function within(type: z.ZodNumber, range: Range): z.ZodNumber {
  const [from = '', to = ''] = range.slice(1, -1).split(', ');
  const least = range.startsWith('[') ? type.min(Number(from)) : type.gt(Number(from));
  return to === '∞' ? least : range.endsWith(']') ? least.max(Number(to)) : least.lt(Number(to));
}

/** A number with its default and its meaning, which says its unit. */
export const setting = (value: number, meaning: string, range: Range = '[0, ∞)') =>
  within(z.number(), range).default(value).describe(meaning);

/** A whole number, of rows in a row, say. */
export const whole = (value: number, meaning: string, range: Range = '[1, ∞)') =>
  within(z.int(), range).default(value).describe(meaning);

/** How many markets are asked about, a request each. */
export const maxSymbols = (value: number, meaning: string, most = 200) =>
  whole(value, meaning, `[1, ${most}]`);

/** A length of time as people write it; ms once it is read. */
export const lasting = (value: string, meaning: string) => duration.prefault(value).describe(meaning);

/** The markets that are everyone's news. */
export const majors = (meaning: string) =>
  z.array(z.string()).default(['BTCUSDT', 'ETHUSDT']).describe(meaning);
