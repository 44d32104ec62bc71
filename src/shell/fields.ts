import { z } from 'zod';
import { symbolGroup } from '../alert/symbols.ts';
import { didYouMean, quoted, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import { maxNames } from '../places/limits.ts';
import type { Command } from './command.ts';
import { includesAll, splitList } from './input.ts';
import { type NameKind, type NamesContext, nameKinds, vocabulary } from './vocabulary.ts';

/** One input of a command, derived from its schema. Usage, help and completion are made from it. */
export interface Field {
  readonly key: string;
  /** The text of its `.describe()`, which the catalogues translate as a message. */
  readonly description: Text;
  readonly required: boolean;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly choices: readonly string[];
  readonly names?: NameKind | undefined;
  /** True if several values may be given. */
  readonly list: boolean;
  /** True if a word without a key goes to this input only after all inputs with names, such as the market, are given. */
  readonly late: boolean;
  /** True if a group of symbols may be given: `top20`, `watchlist`. */
  readonly groups: boolean;
  /** What the text is: a role's id, the text of a file, or an image as a data URI. A platform with a picker for such things offers the picker. */
  readonly as?: 'role' | 'file' | 'image' | undefined;
  /** The only names that are possible for this input. Absent: all names of its kind are. */
  readonly among?: readonly string[] | undefined;
  readonly defaultValue?: string | undefined;
  readonly offers: readonly string[];
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const property = z
  .object({
    description: z
      .string()
      .default('')
      .transform((message): Text => ({ message, values: {} })),
    type: z.enum(['string', 'number', 'integer', 'boolean']).default('string'),
    enum: z.array(z.string()).default([]),
    names: z.enum(nameKinds).optional(),
    list: z.boolean().default(false),
    late: z.boolean().default(false),
    groups: z.boolean().default(false),
    as: z.enum(['role', 'file', 'image']).optional(),
    among: z.array(z.string()).optional(),
    default: z.union([z.string(), z.number(), z.boolean()]).transform(String).optional(),
    offers: z.array(z.string()).default([]),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .transform(({ enum: choices, default: defaultValue, ...rest }) => ({ ...rest, choices, defaultValue }));

const objectSchema = z.object({
  properties: z.record(z.string(), property).default({}),
  required: z.array(z.string()).default([]),
});

/** Fields by schema. A schema does not change, and reading one costs more than answering a question. */
const fieldsBySchema = new WeakMap<Command['input'], readonly Field[]>();

/** Returns the inputs of a command in the order in which people type them without their keys. */
export const fieldsOf = ({ input }: Pick<Command, 'input'>): readonly Field[] =>
  fieldsBySchema.getOrInsertComputed(input, readFields);

/** Returns the inputs of one action of a command; all of the command's, if it has no such action. */
export function fieldsOfAction(
  command: Pick<Command, 'input' | 'actions'>,
  action: string,
): readonly Field[] {
  const { actions = {} } = command;
  if (!Object.hasOwn(actions, action)) return fieldsOf(command);
  const { requiredInputs = [], optionalInputs = [] } = actions[action] ?? {};
  return fieldsOf(command)
    .filter(({ key }) => requiredInputs.includes(key) || optionalInputs.includes(key))
    .map((field) => ({ ...field, required: requiredInputs.includes(field.key) }));
}

function readFields(input: Command['input']): Field[] {
  const { properties, required } = objectSchema.parse(z.toJSONSchema(input, { io: 'input' }));
  return Object.entries(properties).map(([key, rest]) => ({
    key,
    required: required.includes(key),
    ...rest,
  }));
}

/** Returns the full names that the text stands for, in the data service's spelling. Throws UserError with suggestions. */
export function canonicalize(field: Field, text: string, context: NamesContext): string {
  const { choices, list } = field;
  if (field.names === undefined) return choices.length === 0 ? text : choose(text, choices);
  const { resolve: resolveName, expandGroup: family } = vocabulary[field.names];
  const resolve: typeof resolveName = (name, ...given) =>
    (field.groups ? symbolGroup(name) : undefined) ?? resolveName(name, ...given);
  if (!list) return resolve(text, context);
  const parts = splitList(text);
  if (parts.length > maxNames) {
    throw new UserError(
      msg('{key} takes at most {most, number} names at once; these are {given, number}.', {
        key: field.key,
        most: maxNames,
        given: parts.length,
      }),
    );
  }
  if (includesAll(parts)) return 'all';
  const meant = parts.flatMap((part) => {
    const all = family?.(part, context) ?? [];
    return all.length > 0 ? all : resolve(part, context);
  });
  return [...new Set(meant)].join(',');
}

function choose(text: string, choices: readonly string[]): string {
  const typed = text.toLowerCase();
  const fitting = choices.filter((choice) => choice.toLowerCase() === typed);
  const beginning = choices.filter((choice) => typed !== '' && choice.toLowerCase().startsWith(typed));
  const [only, ...others] = fitting.length > 0 ? fitting : beginning;
  if (only !== undefined && others.length === 0) return only;
  const problem = msg('{text} is not one of {choices}.', { text: quoted(text), choices: listOf(choices) });
  throw new UserError(join([problem, didYouMean(rank(typed, choices, 2))], ' '));
}

/** Returns the markets that the input can be about, in the order of the universe. */
export const marketsFor = ({ among }: Field, universe: readonly string[]): readonly string[] =>
  among === undefined ? universe : universe.filter((symbol) => among.includes(symbol));

/** Returns values that the beginning of a word may stand for, best first. */
export function suggestions(
  field: Field,
  { text, context, limit }: { readonly text: string; readonly context: NamesContext; readonly limit: number },
): string[] {
  const { choices, offers, list, groups } = field;
  if (field.names === undefined) return rank(text, choices.length === 0 ? offers : choices, limit);
  const fieldContext = { ...context, universe: marketsFor(field, context.universe) };
  const ranked = vocabulary[field.names].rank(text, fieldContext, limit);
  const begins = (each: string) => each.startsWith(text.toLowerCase());
  const beginning = [...(list ? ['all'] : []), ...(groups ? ['watchlist', 'top20'] : [])].filter(begins);
  return [...beginning, ...ranked, ...offers.filter(begins)].slice(0, limit);
}
