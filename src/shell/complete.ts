import { rank } from '../language/closest.ts';
import { unlessRefused } from '../language/errors.ts';
import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import { bind } from './bind.ts';
import { canonicalize, type Field, fieldsOf, suggestions } from './fields.ts';
import { parseLine } from './parse.ts';
import { type NamesContext, vocabulary } from './vocabulary.ts';

export interface Completion {
  readonly label: string;
  /** The whole line after the offer is accepted. */
  readonly line: string;
  readonly description: string;
}

/** Splits a line before what is being typed: the last word, or `key=` and the word after it. */
const lastWord = /^(.*?\s)?((?:[A-Za-z][\w-]*=\s*)?\S*)$/s;

/** Returns ways to continue a half-typed line, best first. */
export function completeLine(
  line: string,
  { context, limit = 25 }: { readonly context: NamesContext; readonly limit?: number | undefined },
): Completion[] {
  const [, before = '', typed = ''] = lastWord.exec(line) ?? [];
  if (before.trim() === '') return completeName(typed, context, limit);
  // While the words before are not valid nothing is offered. Their error is shown when the line is sent.
  const free = unlessRefused(() => freeFields(before, context)) ?? [];
  return completeWord(before, { typed, free, context, limit });
}

/** Returns the inputs that may follow a line. Throws UserError if the line is not valid. */
function freeFields(line: string, context: NamesContext): readonly Field[] {
  const { name, words } = parseLine(line);
  const command = context.commands.find((each) => each.name === name.toLowerCase());
  if (command === undefined) return [];
  const bound = bind(words, command, context);
  return fieldsOf(command).filter(({ key, list }) => !Object.hasOwn(bound, key) || list);
}

const translatorFor =
  ({ language = plainReader.language }: NamesContext) =>
  (text: Text): string =>
    say(text, { ...plainReader, language });

function completeName(typed: string, context: NamesContext, limit: number): Completion[] {
  const slash = typed.startsWith('/') ? '/' : '';
  const translate = translatorFor(context);
  const { commands } = context;
  const names = commands.map(({ name }) => name);
  return rank(typed.slice(slash.length), names, limit).map((name) => ({
    label: slash + name,
    line: slash + name,
    description: translate(commands.find((command) => command.name === name)?.description ?? ''),
  }));
}

function completeWord(
  before: string,
  {
    typed,
    free,
    context,
    limit,
  }: {
    readonly typed: string;
    readonly free: readonly Field[];
    readonly context: NamesContext;
    readonly limit: number;
  },
): Completion[] {
  const [, key, value = typed] = /^([\w-]+)=\s*(.*)$/.exec(typed) ?? [];
  const translate = translatorFor(context);
  const offer = (label: string, { text, description }: { readonly text: string } & Field): Completion => ({
    label,
    line: before + text,
    description: translate(description),
  });
  const fields =
    key === undefined ? free : free.filter((field) => field.key.toLowerCase() === key.toLowerCase());
  const keys = key === undefined && typed !== '' ? free.filter((field) => field.key.startsWith(typed)) : [];
  const values = fields.flatMap((field) =>
    completeInput(field, { text: value, context, limit }).map(({ label, text }) =>
      offer(label, { ...field, text: key === undefined ? text : `${key}=${text}` }),
    ),
  );
  const begins = ({ line }: Completion) => line.toLowerCase().startsWith((before + typed).toLowerCase());
  const beginning = [
    ...keys.map((field) => offer(`${field.key}=`, { ...field, text: `${field.key}=` })),
    ...values.filter(begins),
  ];
  // Values that only resemble the word are offered only if nothing begins with it.
  const all = beginning.length > 0 ? beginning : values;
  return [...new Map(all.map((each) => [each.line, each])).values()].slice(0, limit);
}

/** Returns values that the text may stand for, best first. For platforms that complete one input at a time. */
export function completeInput(
  field: Field,
  {
    text,
    context,
    limit = 25,
  }: { readonly text: string; readonly context: NamesContext; readonly limit?: number | undefined },
): { readonly label: string; readonly text: string }[] {
  const [, earlier = '', last = text] = field.list ? (/^(.*[,\s]\s*)([^,\s]*)$/s.exec(text) ?? []) : [];
  const names = earlier && unlessRefused(() => canonicalize(field, earlier, context));
  if (names === undefined) return [];
  const named = earlier === '' ? [] : ['all', ...names.split(',')];
  return suggestions(field, { text: last, context, limit: limit + named.length })
    .filter((label) => !named.includes(label))
    .slice(0, limit)
    .map((label) => ({ label: described(field, label, context), text: earlier + label }));
}

/** Returns what people call a name, or an id with what it stands for. */
export function described({ names }: Field, text: string, context: NamesContext): string {
  const known = names && vocabulary[names];
  const about = known?.about?.(text, context);
  return known?.label?.(text, context) ?? (about === undefined ? text : `${text}: ${about}`);
}
