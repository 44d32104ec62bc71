import type { Command } from '../commands/command.ts';
import { UserError } from '../runtime/errors.ts';
import { rank } from './closest.ts';
import { type Field, fieldsOf, suggestions } from './fields.ts';
import { bind, parseLine } from './parse.ts';
import type { NamesContext } from './vocabulary.ts';

export interface Completion {
  /** What is offered, to show. */
  readonly label: string;
  /** The whole line once it is taken. */
  readonly line: string;
  readonly description: string;
}

/** Ways to go on with a half-typed line, best first. */
export function completeLine(line: string, context: NamesContext, limit = 25): Completion[] {
  const [, before = '', typed = ''] = /^(.*\s)?(\S*)$/s.exec(line) ?? [];
  if (before.trim() === '') return completeName(typed, context, limit);
  try {
    const { name, words } = parseLine(before);
    const command = context.commands.find((each) => each.name === name.toLowerCase());
    if (command === undefined) return [];
    const bound = bind(words, command, context);
    const free = fieldsOf(command).filter(({ key, list }) => !Object.hasOwn(bound, key) || list);
    return completeWord(before, typed, free, context, limit);
  } catch (error) {
    // What stands before is not right yet: its error is said when the line is sent.
    if (error instanceof UserError) return [];
    throw error;
  }
}

function completeName(typed: string, { commands }: NamesContext, limit: number): Completion[] {
  const slash = typed.startsWith('/') ? '/' : '';
  return rank(
    typed.slice(slash.length),
    commands.map(({ name }) => name),
    limit,
  ).map((name) => ({
    label: slash + name,
    line: `${slash}${name} `,
    description: commands.find((command) => command.name === name)?.description ?? '',
  }));
}

function completeWord(
  before: string,
  typed: string,
  free: readonly Field[],
  context: NamesContext,
  limit: number,
): Completion[] {
  const [, key, value = typed] = /^([\w-]+)=(.*)$/.exec(typed) ?? [];
  const named = free.find((field) => field.key.toLowerCase() === key?.toLowerCase());
  const fields = key === undefined ? free : named === undefined ? [] : [named];
  const values = fields.flatMap((field) =>
    completeInput(field, value, context, limit).map((each) => ({ ...each, field })),
  );
  const seen = new Set<string>();
  const completions = values.flatMap(({ label, text, field }) => {
    const word = key === undefined ? text : `${field.key}=${text}`;
    if (seen.has(word)) return [];
    seen.add(word);
    return [{ label, line: `${before}${word} `, description: field.description }];
  });
  const keys =
    key !== undefined ? [] : free.filter(({ key }) => typed !== '' && key.startsWith(typed.toLowerCase()));
  return [
    ...keys.map((field) => ({
      label: `${field.key}=`,
      line: `${before}${field.key}=`,
      description: field.description,
    })),
    ...completions,
  ].slice(0, limit);
}

/** For platforms that ask about one input at a time: values that may be meant, best first. */
export function completeInput(
  field: Field,
  text: string,
  context: NamesContext,
  limit = 25,
): { readonly label: string; readonly text: string }[] {
  const [, earlier = '', last = ''] = field.list ? (/^(.*,\s*)?(.*)$/s.exec(text) ?? []) : ['', '', text];
  return suggestions(field, last, context, limit).map((label) => ({ label, text: earlier + label }));
}

/** The input of that name, for `completeInput`. */
export const fieldOf = (command: Pick<Command, 'input'>, key: string): Field | undefined =>
  fieldsOf(command).find((field) => field.key === key);
