// biome-ignore-all lint/complexity/useMaxParams: the settings of a detector read as a table, of default, meaning and range
import { z } from 'zod';
import { duration } from '../../runtime/units.ts';

/** The interval that a number must lie in, in mathematical notation: `(0, 1]` is more than 0 and at most 1. */
type Range = `${'(' | '['}${number}, ${number | '∞'}${')' | ']'}`;

function within(type: z.ZodNumber, range: Range): z.ZodNumber {
  const [from = '', to = ''] = range.slice(1, -1).split(', ');
  const least = range.startsWith('[') ? type.min(Number(from)) : type.gt(Number(from));
  return to === '∞' ? least : range.endsWith(']') ? least.max(Number(to)) : least.lt(Number(to));
}

/** Returns the schema of a number. `value` is its default; `meaning` describes it with its unit. */
export const numberSetting = (value: number, meaning: string, range: Range = '[0, ∞)') =>
  within(z.number(), range).default(value).describe(meaning);

/** Returns the schema of a whole number, for example of a number of consecutive rows. */
export const integerSetting = (value: number, meaning: string, range: Range = '[1, ∞)') =>
  within(z.int(), range).default(value).describe(meaning);

/** Returns the schema of the largest number of markets that a detector asks about. Each market costs requests of its own. */
export const maxSymbols = (value: number, meaning: string, max = 200) =>
  integerSetting(value, meaning, `[1, ${max}]`);

/** Returns the schema of a length of time. It is written as people write it, such as `15m`, and read as ms. */
export const durationSetting = (value: string, meaning: string) => duration.prefault(value).describe(meaning);

/** Returns the schema of a list of major markets. Alerts about them interest everyone and have a higher severity. */
export const majors = (meaning: string) =>
  z.array(z.string()).default(['BTCUSDT', 'ETHUSDT']).describe(meaning);
