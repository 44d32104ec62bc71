import type { MenuNames } from '../../language/catalogue.ts';
import {
  catalogueOf,
  english,
  type Language,
  languageOf,
  languages,
  localeOf,
} from '../../language/languages.ts';
import { plainReader, say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Command } from '../../shell/command.ts';
import { completeInput } from '../../shell/complete.ts';
import { type Field, fieldsOf } from '../../shell/fields.ts';
import type { CommandRequest } from '../../shell/request.ts';
import type { NamesContext } from '../../shell/vocabulary.ts';
import { cut } from './text.ts';

/** Application command option types. */
const optionType = {
  subCommand: 1,
  string: 3,
  integer: 4,
  boolean: 5,
  role: 8,
  number: 10,
  file: 11,
} as const;
/** What Discord takes: options a command, choices an option, characters a description, a choice. */
const limits = { options: 25, choices: 25, description: 100, choice: 100 } as const;
/** The extra input of questions: who sees the answer. */
const privateOption = 'private';

/** All locales that Discord has, English apart: https://docs.discord.com/developers/reference#locales */
const locales =
  'bg cs da de el es-ES es-419 fi fr hi hr hu id it ja ko lt nl no pl pt-BR ro ru sv-SE th tr uk vi zh-CN zh-TW'.split(
    ' ',
  );

const scriptOf = (locale: string) => new Intl.Locale(locale).maximize().script;

/** Those that read a language: Spain and Latin America both read Spanish, Taiwan no simplified characters. */
const localesOf = (language: Language): readonly string[] =>
  locales.filter(
    (locale) => languageOf(locale) === language && scriptOf(locale) === scriptOf(localeOf(language)),
  );

/** For each locale what its language says, where that says something. */
function localized(
  said: (language: Language) => string | undefined,
): Readonly<Record<string, string>> | undefined {
  const entries = languages.flatMap((language) => {
    const text = language === english ? undefined : said(language);
    return text === undefined ? [] : localesOf(language).map((locale) => [locale, text]);
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function described(text: Text): object {
  const said = (language: Language) =>
    cut(say(text, { ...plainReader, language }), limits.description) || '–';
  const translated = localized((language) => (said(language) === said(english) ? undefined : said(language)));
  return { description: said(english), ...(translated && { description_localizations: translated }) };
}

function named(list: keyof MenuNames, key: string): object {
  const translated = localized((language) => catalogueOf(language).menu[list].get(key));
  return { name: key.toLowerCase(), ...(translated && { name_localizations: translated }) };
}

const shownIn = { contexts: [0, 1, 2], integration_types: [0, 1] };
/** Nobody but a guild's administrators sees it there, unless they let others. */
const hidden = { default_member_permissions: '0' };

/** Whether an answer is for the asker alone unless they say otherwise. */
export const takesPrivate = (command: Pick<Command, 'takes' | 'personal' | 'input'>): boolean =>
  command.takes !== 'manage' &&
  command.personal !== true &&
  fieldsOf(command).every(({ key }) => key.toLowerCase() !== privateOption);

/** The commands as Discord registers them: names, options, choices and bounds from each one's input. */
export const slashCommands = (commands: readonly Command[]): object[] =>
  commands.map((command) => ({
    ...named('commands', command.name),
    ...described(command.description),
    ...shownIn,
    ...(command.takes === 'operate' && hidden),
    options: (command.actions === undefined
      ? [...inputs(fieldsOf(command)), ...extra(command)]
      : subCommands(command)
    ).slice(0, limits.options),
  }));

/** Each action as a command of its own, with the inputs that matter to it. */
const subCommands = (command: Command): object[] =>
  Object.entries(command.actions ?? {}).map(([action, { description, needs = [], takes = [] }]) => ({
    type: optionType.subCommand,
    ...named('actions', action),
    ...described(description),
    options: inputs(
      fieldsOf(command)
        .filter(({ key }) => needs.includes(key) || takes.includes(key))
        .map((field) => ({ ...field, required: needs.includes(field.key) })),
    ),
  }));

const inputs = (fields: readonly Field[]): object[] =>
  fields
    // Discord wants what must be given first.
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map((field) => ({
      ...named('inputs', field.key),
      ...described(field.description),
      ...option(field),
    }));

const extra = (command: Command): object[] =>
  takesPrivate(command)
    ? [
        {
          type: optionType.boolean,
          ...named('inputs', privateOption),
          ...described(msg('Only you see the answer')),
        },
      ]
    : [];

function option({ required, type, as, choices, names, offers, minimum, maximum }: Field): object {
  const needed = required && { required };
  if (as !== undefined) return { type: optionType[as], ...needed };
  const few = choices.length <= limits.choices;
  const isNumber = type === 'integer' || type === 'number';
  return {
    type: optionType[type],
    ...needed,
    ...(choices.length > 0 && few && { choices: choices.map((name) => ({ name, value: name })) }),
    ...(type === 'string' && (names !== undefined || offers.length > 0 || !few) && { autocomplete: true }),
    ...(isNumber && minimum !== undefined && { min_value: minimum }),
    ...(isNumber && maximum !== undefined && { max_value: maximum }),
  };
}

/** A file as Discord keeps it. */
export interface Attachment {
  readonly url: string;
  /** Bytes. */
  readonly size: number;
}

export interface GivenOption {
  readonly name: string;
  readonly type?: number;
  readonly value?: unknown;
  readonly attachment?: Attachment | undefined;
  /** Of a sub-command. */
  readonly options?: readonly GivenOption[];
}

export interface SlashRequest {
  readonly request: Exclude<CommandRequest, string | { readonly line: string }>;
  readonly private: boolean;
  readonly attachment?: Attachment | undefined;
}

/** Options as given → the command's input. What is no option of ours is passed on, to be refused with a word. */
export function readSlash(
  name: string,
  { given, commands }: { readonly given: readonly GivenOption[]; readonly commands: readonly Command[] },
): SlashRequest {
  const command = commands.find((each) => each.name === name);
  const fields = command === undefined ? [] : fieldsOf(command);
  const ours = command !== undefined && takesPrivate(command);
  const options = given.flatMap((each): readonly GivenOption[] =>
    each.type === optionType.subCommand
      ? [{ name: 'action', value: each.name }, ...(each.options ?? [])]
      : [each],
  );
  const input = options
    .filter((each) => !(ours && each.name === privateOption) && each.attachment === undefined)
    .map((each) => [fields.find(({ key }) => key.toLowerCase() === each.name)?.key ?? each.name, each.value]);
  return {
    request: { name, input: Object.fromEntries(input) },
    private: ours && given.some((each) => each.name === privateOption && each.value === true),
    attachment: options.find(({ attachment }) => attachment !== undefined)?.attachment,
  };
}

/** Values that may be meant by what is typed so far, best first. */
export function suggest(
  name: string,
  {
    focused,
    context,
  }: { readonly focused: { readonly name: string; readonly value: string }; readonly context: NamesContext },
): { readonly name: string; readonly value: string }[] {
  const command = context.commands.find((each) => each.name === name);
  const field = command && fieldsOf(command).find(({ key }) => key.toLowerCase() === focused.name);
  if (field === undefined) return [];
  // Who takes one replaces all that was typed: of a list it says all of it.
  return completeInput(field, { text: focused.value, context, limit: limits.choices })
    .map(({ label, text }) => ({ name: cut(field.list ? text : label, limits.choice), value: text }))
    .filter(({ value }) => value !== '' && value.length <= limits.choice);
}
