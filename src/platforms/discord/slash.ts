import { PermissionFlagsBits } from 'discord.js';
import type { MenuNames } from '../../language/catalogue.ts';
import {
  catalogueOf,
  english,
  type Language,
  languageOf,
  languages,
  localeOf,
} from '../../language/languages.ts';
import { memoized } from '../../language/memoized.ts';
import { plainReader, say } from '../../language/say.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Command } from '../../shell/command.ts';
import { completeInput, described } from '../../shell/complete.ts';
import { type Field, fieldsOf, fieldsOfAction } from '../../shell/fields.ts';
import type { CommandRequest } from '../../shell/request.ts';
import type { NamesContext } from '../../shell/vocabulary.ts';
import { cut } from './text.ts';

export const optionType = {
  subCommand: 1,
  string: 3,
  integer: 4,
  boolean: 5,
  role: 8,
  number: 10,
  file: 11,
  image: 11,
} as const;
/** Discord's limits: options per command, choices per option, characters of a description, characters of a choice. */
const limits = { options: 25, choices: 25, description: 100, choice: 100 } as const;
/** The extra input of questions, by which the asker chooses that nobody else sees the answer. */
const privateOption = 'private';

/** All of Discord's locales except the English ones: https://docs.discord.com/developers/reference#locales */
const locales =
  'bg cs da de el es-ES es-419 fi fr hi hr hu id it ja ko lt nl no pl pt-BR ro ru sv-SE th tr uk vi zh-CN zh-TW'.split(
    ' ',
  );

const scriptOf = (locale: string) => new Intl.Locale(locale).maximize().script;

/** Returns the locales that use a language: Spain and Latin America use Spanish, but Taiwan does not use simplified Chinese. */
const localesOf = memoized((language: Language): readonly string[] =>
  locales.filter(
    (locale) => languageOf(locale) === language && scriptOf(locale) === scriptOf(localeOf(language)),
  ),
);

/** Returns a field in English and in each locale whose language has another text for it; without a text it has none. */
function localized(
  field: 'name' | 'description',
  textIn: (language: Language) => string | undefined,
): object {
  const text = textIn(english);
  const translated = languages.flatMap((language) => {
    const own = textIn(language);
    return own === undefined || own === text ? [] : localesOf(language).map((locale) => [locale, own]);
  });
  const localizations = { [`${field}_localizations`]: Object.fromEntries(translated) };
  return { [field]: text, ...(translated.length > 0 && localizations) };
}

const descriptionFields = (text: Text): object =>
  localized(
    'description',
    (language) => cut(say(text, { ...plainReader, language }), limits.description) || '–',
  );

const nameFields = (list: keyof MenuNames, key: string): object =>
  localized('name', (language) =>
    language === english ? key.toLowerCase() : catalogueOf(language).menu[list].get(key),
  );

const availability = { contexts: [0, 1, 2], integration_types: [0, 1] };
/**
 * Who sees a command in a guild, unless its administrators allow others to: those who may manage the guild, as
 * `originOf` judges it, or, for the operator's, administrators only.
 */
const menuPermissions: Readonly<Partial<Record<NonNullable<Command['takes']>, string>>> = {
  manage: String(PermissionFlagsBits.ManageGuild),
  operate: '0',
};

/** Whether the command has the input `private`, by which the asker chooses that nobody else sees the answer. */
const takesPrivate = (command: Pick<Command, 'takes' | 'personal' | 'input'>): boolean =>
  command.takes !== 'manage' &&
  command.personal !== true &&
  fieldsOf(command).every(({ key }) => key.toLowerCase() !== privateOption);

/** Returns the commands in the form in which Discord registers them, with options, choices and bounds from their inputs. */
export const slashCommands = (commands: readonly Command[]): object[] =>
  commands.map((command) => ({
    ...nameFields('commands', command.name),
    ...descriptionFields(command.description),
    ...availability,
    ...(command.takes !== undefined &&
      menuPermissions[command.takes] !== undefined && {
        default_member_permissions: menuPermissions[command.takes],
      }),
    options: (command.actions === undefined
      ? [...inputs(fieldsOf(command)), ...privateInput(command)]
      : subCommands(command)
    ).slice(0, limits.options),
  }));

/** The name of the entry in the menu of a message. Discord shows it in the language of the reader's app. */
const whyThis = msg('Why this alert?');

/** Returns the entry in the menu of every message by which people ask why an alert was posted. */
export const messageMenu = (): object => ({
  type: 3,
  ...localized('name', (language) => say(whyThis, { ...plainReader, language })),
  ...availability,
});

/** Returns a sub-command for each action, with the inputs that the action uses. */
const subCommands = (command: Command): object[] =>
  Object.entries(command.actions ?? {}).map(([action, { description }]) => ({
    type: optionType.subCommand,
    ...nameFields('actions', action),
    ...descriptionFields(description),
    options: inputs(fieldsOfAction(command, action)),
  }));

const inputs = (fields: readonly Field[]): object[] =>
  fields
    // Discord wants required options to come first.
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map((field) => ({
      ...nameFields('inputs', field.key),
      ...descriptionFields(field.description),
      ...option(field),
    }));

const privateInput = (command: Command): object[] => {
  if (!takesPrivate(command)) return [];
  const description = descriptionFields(msg('Only you see the answer'));
  return [{ type: optionType.boolean, ...nameFields('inputs', privateOption), ...description }];
};

function option({ required, type, as, choices, names, offers, minimum, maximum }: Field): object {
  const needed = required && { required };
  if (as !== undefined) return { type: optionType[as], ...needed };
  const fitsChoices = choices.length <= limits.choices;
  const isNumber = type === 'integer' || type === 'number';
  return {
    type: optionType[type],
    ...needed,
    ...(choices.length > 0 && fitsChoices && { choices: choices.map((name) => ({ name, value: name })) }),
    ...(type === 'string' &&
      (names !== undefined || offers.length > 0 || !fitsChoices) && { autocomplete: true }),
    ...(isNumber && minimum !== undefined && { min_value: minimum }),
    ...(isNumber && maximum !== undefined && { max_value: maximum }),
  };
}

/** A file that a user has attached, as Discord stores it. */
export interface Attachment {
  readonly url: string;
  /** Bytes. */
  readonly size: number;
}

interface GivenOption {
  readonly name: string;
  readonly type?: number;
  readonly value?: unknown;
  readonly attachment?: Attachment | undefined;
  /** The options of a sub-command. */
  readonly options?: readonly GivenOption[];
}

interface SlashRequest {
  readonly request: Exclude<CommandRequest, string | { readonly line: string }>;
  readonly private: boolean;
  readonly attachment?: Attachment | undefined;
}

/** Turns the given options into the command's input. Unknown options are passed on, so that the command can refuse them. */
export function readSlash(
  name: string,
  { given, commands }: { readonly given: readonly GivenOption[]; readonly commands: readonly Command[] },
): SlashRequest {
  const command = commands.find((each) => each.name === name);
  const fields = command === undefined ? [] : fieldsOf(command);
  const hasPrivate = command !== undefined && takesPrivate(command);
  const options = given.flatMap((each): readonly GivenOption[] =>
    each.type === optionType.subCommand
      ? [{ name: 'action', value: each.name }, ...(each.options ?? [])]
      : [each],
  );
  const input = options
    .filter((each) => !(hasPrivate && each.name === privateOption) && each.attachment === undefined)
    .map((each) => [fields.find(({ key }) => key.toLowerCase() === each.name)?.key ?? each.name, each.value]);
  return {
    request: { name, input: Object.fromEntries(input) },
    private: hasPrivate && given.some((each) => each.name === privateOption && each.value === true),
    attachment: options.find(({ attachment }) => attachment !== undefined)?.attachment,
  };
}

/** Returns suggestions for an option, from what has been typed so far, best first. */
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
  // A chosen suggestion replaces everything that was typed, so for a list its label is the whole list.
  const listLabel = (text: string) =>
    text
      .split(/(?<=[,\s])(?=[^,\s])/)
      .map((part) => part.replace(/^[^,\s]+/, (name) => described(field, name, context)))
      .join('');
  return completeInput(field, { text: focused.value, context, limit: limits.choices })
    .map(({ label, text }) => ({
      name: cut(field.list ? listLabel(text) : label, limits.choice),
      value: text,
    }))
    .filter(({ value }) => value !== '' && value.length <= limits.choice);
}
