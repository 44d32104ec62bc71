import { z } from 'zod';
import { symbolGroup } from '../alert/symbols.ts';
import { didYouMean, quoted, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import type { Command } from './command.ts';
import { namesAll, splitList } from './input.ts';
import { type Names, type NamesContext, names, vocabulary } from './vocabulary.ts';

/** One input of a command, as its schema tells it: what usage, help and completion are made of. */
export interface Field {
  readonly key: string;
  /** Its `.describe()`, which the catalogues hold as a message. */
  readonly description: Text;
  readonly required: boolean;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly choices: readonly string[];
  readonly names?: Names | undefined;
  /** True where several may be named. */
  readonly list: boolean;
  /** True where a word without a key is meant for it only once all that has names, such as the market, is given. */
  readonly late: boolean;
  /** True where a group of symbols may be named: `top20`, `watchlist`. */
  readonly groups: boolean;
  /** What a platform with a picker for it offers instead of text: a role's id, or the text of a file. */
  readonly as?: 'role' | 'file' | undefined;
  /** Of what is named, what it can be alone; everything where it is absent. */
  readonly among?: readonly string[] | undefined;
  readonly preset?: string | undefined;
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
    names: z.enum(names).optional(),
    list: z.boolean().default(false),
    late: z.boolean().default(false),
    groups: z.boolean().default(false),
    as: z.enum(['role', 'file']).optional(),
    among: z.array(z.string()).optional(),
    default: z.union([z.string(), z.number(), z.boolean()]).transform(String).optional(),
    offers: z.array(z.string()).default([]),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .transform(({ enum: choices, default: preset, ...rest }) => ({ ...rest, choices, preset }));

const objectSchema = z.object({
  properties: z.record(z.string(), property).default({}),
  required: z.array(z.string()).default([]),
});

/** Read once: a schema does not change, and reading one costs more than answering with it. */
const read = new WeakMap<Command['input'], readonly Field[]>();

/** In the order people type them without naming them. */
export function fieldsOf({ input }: Pick<Command, 'input'>): readonly Field[] {
  const known = read.get(input) ?? readFields(input);
  read.set(input, known);
  return known;
}

function readFields(input: Command['input']): Field[] {
  const { properties, required } = objectSchema.parse(z.toJSONSchema(input, { io: 'input' }));
  return Object.entries(properties).map(([key, rest]) => ({
    key,
    required: required.includes(key),
    ...rest,
  }));
}

/** As many as a watchlist holds. */
const mostNamed = 100;

/** What the text names in full, in the service's spelling. Throws UserError with suggestions. */
export function canonical(
  field: Field,
  { text, context }: { readonly text: string; readonly context: NamesContext },
): string {
  const { choices, list } = field;
  if (field.names === undefined) return choices.length === 0 ? text : choose(text, choices);
  const { resolve: resolveName, family } = vocabulary[field.names];
  const resolve: typeof resolveName = (name, ...given) =>
    (field.groups ? symbolGroup(name) : undefined) ?? resolveName(name, ...given);
  if (!list) return resolve(text, context);
  const parts = splitList(text);
  if (parts.length > mostNamed) {
    throw new UserError(
      msg('{key} takes at most {most, number} names at once; these are {given, number}.', {
        key: field.key,
        most: mostNamed,
        given: parts.length,
      }),
    );
  }
  if (namesAll(parts)) return 'all';
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
  const none = msg('{text} is not one of {choices}.', { text: quoted(text), choices: listOf(choices) });
  throw new UserError(join([none, didYouMean(rank(typed, { candidates: choices, limit: 2 }))], ' '));
}

/** Markets that the input can be about, as the universe orders them. */
export const marketsFor = ({ among }: Field, universe: readonly string[]): readonly string[] =>
  among === undefined ? universe : universe.filter((symbol) => among.includes(symbol));

/** Values that may be meant by a beginning, best first. */
export function suggestions(
  field: Field,
  { text, context, limit }: { readonly text: string; readonly context: NamesContext; readonly limit: number },
): string[] {
  const { choices, offers, list, groups } = field;
  if (field.names === undefined)
    return rank(text, { candidates: choices.length === 0 ? offers : choices, limit });
  const offered = { ...context, universe: marketsFor(field, context.universe) };
  const found = vocabulary[field.names].rank(text, { context: offered, limit });
  const begins = (each: string) => each.startsWith(text.toLowerCase());
  const beginning = [...(list ? ['all'] : []), ...(groups ? ['watchlist', 'top20'] : [])].filter(begins);
  return [...beginning, ...found, ...offers.filter(begins)].slice(0, limit);
}
