// biome-ignore-all lint/complexity/useMaxParams: the settings of a detector read as a table, of default, meaning and range
import { z } from 'zod';
import { duration as durationSchema } from '../../runtime/units.ts';

/** The interval that a number must lie in, in mathematical notation: `(0, 1]` is more than 0 and at most 1. */
type Range = `${'(' | '['}${number}, ${number | '∞'}${')' | ']'}`;

function within(type: z.ZodNumber, range: Range): z.ZodNumber {
  const [from = '', to = ''] = range.slice(1, -1).split(', ');
  const least = range.startsWith('[') ? type.min(Number(from)) : type.gt(Number(from));
  return to === '∞' ? least : range.endsWith(']') ? least.max(Number(to)) : least.lt(Number(to));
}

/** Returns the schema of a number. `value` is its default; `meaning` describes it with its unit. */
export const number = (value: number, meaning: string, range: Range = '[0, ∞)') =>
  within(z.number(), range).default(value).describe(meaning);

/** Returns the schema of a number above 0. */
export const positive = (value: number, meaning: string) => number(value, meaning, '(0, ∞)');

/** Returns the schema of a whole number, for example of a number of consecutive rows. */
export const integer = (value: number, meaning: string, range: Range = '[1, ∞)') =>
  within(z.int(), range).default(value).describe(meaning);

/** Returns the schema of the largest number of markets that a detector asks about. Each market costs requests of its own. */
export const maxSymbols = (value: number, meaning: string, max = 200) =>
  integer(value, meaning, `[1, ${max}]`);

/** Returns the schema of a length of time. It is written as people write it, such as `15m`, and read as ms. */
export const duration = (value: string, meaning: string) => durationSchema.prefault(value).describe(meaning);

/** Returns the schema of a list of major markets. Alerts about them interest everyone and have a higher severity. */
export const majors = (meaning: string) =>
  z.array(z.string()).default(['BTCUSDT', 'ETHUSDT']).describe(meaning);

/** What must hold of several options together, and the message where it does not. */
export type OptionCheck<Options> = readonly [holds: (options: Options) => boolean, message: string];

export const exitNotAboveEnter: OptionCheck<Record<'exit' | 'enter', number>> = [
  ({ exit, enter }) => exit <= enter,
  'exit must not be above enter',
];

export const levelsAscend: OptionCheck<Record<'exit' | 'enter' | 'critical', number>> = [
  ({ exit, enter, critical }) => exit < enter && enter <= critical,
  'exit < enter ≤ critical is expected',
];
