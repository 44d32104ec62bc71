import { z } from 'zod';
import { didYouMean, quoted, rank } from '../language/closest.ts';
import { UserError, unlessRefused } from '../language/errors.ts';
import { join, listOf, msg, typed } from '../language/text.ts';
import { parseDuration } from '../runtime/units.ts';
import type { Command } from './command.ts';
import { canonicalize, type Field, fieldsOf, suggestions } from './fields.ts';
import type { Word } from './parse.ts';
import type { NamesContext } from './vocabulary.ts';

/**
 * Assigns words to a command's inputs: returns the raw input by key. A word without a key continues a list that accepts
 * it; otherwise it goes to the first free input, in order, that accepts it. Words that are left over continue the last input.
 * Throws UserError if a word fits no input.
 */
export function bind(
  typed: readonly Word[],
  command: Pick<Command, 'name' | 'input'>,
  context: NamesContext,
): Record<string, string> {
  const fields = fieldsOf(command);
  const bound = new Map<string, string>();
  const keyOf = (text: string) =>
    fields.some((field) => !field.late && accepts(field, text, { command, context }))
      ? undefined
      : fields.find((field) => field.key.toLowerCase() === text.toLowerCase())?.key;
  // `settings language es`: a key was typed before its value without an equals sign.
  const words: Word[] = [];
  for (const word of typed) {
    const before = words.at(-1);
    const isBare = before !== undefined && before.key === undefined && word.key === undefined;
    const key = isBare ? keyOf(before.text) : undefined;
    if (key !== undefined) words.pop();
    words.push(key === undefined ? word : { key, text: word.text });
  }
  for (const { key, text } of words) {
    if (key === undefined) continue;
    const field = fieldNamed(key, fields, command);
    if (bound.has(field.key)) throw new UserError(msg('{key} is given twice.', { key: field.key }));
    bound.set(field.key, text);
  }
  const named = new Set(bound.keys());
  for (const { key, text } of words) {
    if (key !== undefined) continue;
    const { field, value } = assignWord(text, { fields, bound, named, command, context });
    bound.set(field.key, value);
  }
  return Object.fromEntries(bound);
}

function fieldNamed(key: string, fields: readonly Field[], { name: command }: Pick<Command, 'name'>): Field {
  const wanted = key.toLowerCase();
  const exact = fields.find((field) => field.key.toLowerCase() === wanted);
  const [only, ...others] = fields.filter((field) => field.key.toLowerCase().startsWith(wanted));
  const field = exact ?? (others.length === 0 ? only : undefined);
  if (field !== undefined) return field;
  const keys = fields.map((each) => each.key);
  const hint =
    keys.length === 0
      ? msg('{command} takes no input.', { command: typed(command) })
      : msg('It takes {keys}.', { keys: listOf(keys) });
  const unknown = msg('{command} has no input {key}', { command, key: quoted(key) });
  throw new UserError(join([didYouMean(rank(key, keys, 1)), hint], ' '), {
    title: unknown,
  });
}

/** The inputs that have a value so far, and those that got theirs by their key. */
interface Binding {
  readonly fields: readonly Field[];
  readonly bound: ReadonlyMap<string, string>;
  readonly named: ReadonlySet<string>;
  readonly command: Pick<Command, 'name' | 'input'>;
  readonly context: NamesContext;
}

function accepts(
  field: Field,
  text: string,
  { command, context }: Pick<Binding, 'command' | 'context'>,
): boolean {
  const name = unlessRefused(() => canonicalize(field, text, context));
  const schema = command.input.shape[field.key];
  return name !== undefined && schema !== undefined && z.safeParse(schema, name).success;
}

function assignWord(
  text: string,
  { fields, bound, named, command, context }: Binding,
): { readonly field: Field; readonly value: string } {
  const fits = (field: Field, word = text): boolean => accepts(field, word, { command, context });
  const list = fields.find((field) => field.list && bound.has(field.key) && fits(field));
  if (list !== undefined) return { field: list, value: `${bound.get(list.key) ?? ''},${text}` };

  const open = fields.filter(({ key }) => !bound.has(key));
  const hasNamedInput = open.some(({ names }) => names !== undefined);
  const free = open.filter(({ late }) => !(late && hasNamedInput));
  const required = free.find((field) => field.required);
  const acceptingField = free.find((field) => field === required || fits(field));
  if (acceptingField !== undefined && !acceptingField.late) return { field: acceptingField, value: text };

  const market = fields.find(
    (field) => field.names === 'symbol' && fits(field, bound.get(field.key) ?? '') && fits(field),
  );
  if (market !== undefined)
    throw new UserError(
      msg('Ask for each by itself: {example}.', {
        example: typed(`${command.name} ${text}`, `${command.name} ${market.key}:${text}`),
      }),
      { title: msg('{command} takes one market', { command: command.name }) },
    );
  if (acceptingField !== undefined) return { field: acceptingField, value: text };

  // The word goes to the input whose values it resembles: the check of that input gives the best error message.
  const [only, ...others] = free;
  const similarField =
    others.length === 0
      ? only
      : free.find((field) =>
          isDuration(text)
            ? field.offers.some(isDuration)
            : Number.isNaN(Number(text))
              ? resembles(field, text, context)
              : field.type !== 'string',
        );
  if (similarField !== undefined) return { field: similarField, value: text };
  if (only !== undefined) {
    const similarList = fields.find(
      (field) => field.list && bound.has(field.key) && resembles(field, text, context),
    );
    if (similarList !== undefined)
      return { field: similarList, value: `${bound.get(similarList.key) ?? ''},${text}` };
    // If the only free input with names is the market, the word was meant as one.
    const [first, ...more] = free.filter(({ names }) => names !== undefined);
    if (first?.names === 'symbol' && more.length === 0 && Number.isNaN(Number(text)))
      return { field: first, value: text };
    throw unfitError(text, free, context);
  }
  const last = fields.findLast(({ key }) => !named.has(key));
  if (last === undefined) {
    throw new UserError(
      msg('{command} doesn’t take {text}.', { command: typed(command.name), text: quoted(text) }),
    );
  }
  return { field: last, value: `${bound.get(last.key) ?? ''} ${text}` };
}

/** Returns the error for a word that fits no free input, with the possible values that come nearest to it. */
function unfitError(text: string, free: readonly Field[], context: NamesContext): UserError {
  const named = free.find(({ key }) => key === text.toLowerCase());
  const [example] = named === undefined ? [] : suggestions(named, { text: '', context, limit: 1 });
  if (named !== undefined)
    return new UserError(
      msg('Give {key} a value: {example}.', {
        key: named.key,
        example: `${named.key}=${example ?? '…'}`,
      }),
    );
  const all = free.flatMap((field) => suggestions(field, { text: '', context, limit: 100 }));
  const keys = listOf(free.map(({ key }) => key));
  return new UserError(didYouMean(rank(text, all, 3)) ?? msg('It takes {keys}.', { keys }), {
    title: msg('I don’t understand {text}', { text: quoted(text) }),
  });
}

const isDuration = (text: string): boolean => parseDuration(text) !== undefined;

// Time zones are left out: almost any word resembles one of four hundred.
const resembles = (field: Field, text: string, context: NamesContext): boolean =>
  field.names !== 'zone' && suggestions(field, { text, context, limit: 1 }).length > 0;
