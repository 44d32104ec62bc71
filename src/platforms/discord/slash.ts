import { cut } from '../../card/discord-text.ts';
import { completeInput } from '../../command/complete.ts';
import { type Field, fieldsOf } from '../../command/fields.ts';
import type { CommandRequest } from '../../command/request.ts';
import type { Translations } from '../../command/translations.ts';
import type { NamesContext } from '../../command/vocabulary.ts';
import type { Command } from '../../commands/command.ts';

/** Application command option types. */
const optionType = { string: 3, integer: 4, boolean: 5, number: 10 } as const;
/** What Discord takes: options a command, choices an option, characters a description, a choice. */
const limits = { options: 25, choices: 25, description: 100, choice: 100 } as const;
/** The extra input of questions: who sees the answer. */
const privateOption = 'private';

/** Languages of ours as Discord names them; as many locales as read one. */
const locales: Readonly<Record<string, readonly string[]>> = { es: ['es-ES', 'es-419'], zh: ['zh-CN'] };

const fitting = (text: string): string => cut(text, limits.description) || '–';

/** A description, and what it is in other languages under its key in their catalogues. */
function described(text: string, key: string, translations: Translations): object {
  const localized = Object.entries(translations).flatMap(([language, { [key]: translated }]) =>
    translated === undefined
      ? []
      : (locales[language] ?? [language]).map((locale) => [locale, fitting(translated)]),
  );
  return {
    description: fitting(text),
    ...(localized.length > 0 && { description_localizations: Object.fromEntries(localized) }),
  };
}

const shownIn = { contexts: [0, 1, 2], integration_types: [0, 1] };

/** Whether an answer is for the asker alone unless they say otherwise. */
export const takesPrivate = (command: Pick<Command, 'settings' | 'personal' | 'input'>): boolean =>
  command.settings !== true &&
  command.personal !== true &&
  fieldsOf(command).every(({ key }) => key.toLowerCase() !== privateOption);

/** The commands as Discord registers them: names, options, choices and bounds from each one's input. */
export const slashCommands = (commands: readonly Command[], translations: Translations = {}): object[] =>
  commands.map((command) => ({
    name: command.name,
    ...described(command.description, command.name, translations),
    ...shownIn,
    options: [
      ...fieldsOf(command)
        // Discord wants what must be given first.
        .toSorted((a, b) => Number(b.required) - Number(a.required))
        .map((field) =>
          option(field, described(field.description, `${command.name}.${field.key}`, translations)),
        ),
      ...(takesPrivate(command)
        ? [
            {
              type: optionType.boolean,
              name: privateOption,
              ...described('Only you see the answer', `*.${privateOption}`, translations),
            },
          ]
        : []),
    ].slice(0, limits.options),
  }));

function option(
  { key, required, type, choices, names, offers, minimum, maximum }: Field,
  description: object,
): object {
  const few = choices.length <= limits.choices;
  const isNumber = type === 'integer' || type === 'number';
  return {
    type: optionType[type],
    name: key.toLowerCase(),
    ...description,
    ...(required && { required }),
    ...(choices.length > 0 && few && { choices: choices.map((name) => ({ name, value: name })) }),
    ...(type === 'string' && (names !== undefined || offers.length > 0 || !few) && { autocomplete: true }),
    ...(isNumber && minimum !== undefined && { min_value: minimum }),
    ...(isNumber && maximum !== undefined && { max_value: maximum }),
  };
}

export interface GivenOption {
  readonly name: string;
  readonly value?: unknown;
}

export interface SlashRequest {
  readonly request: CommandRequest;
  readonly private: boolean;
}

/** Options as given → the command's input. What is no option of ours is passed on, to be refused with a word. */
export function readSlash(
  name: string,
  given: readonly GivenOption[],
  commands: readonly Command[],
): SlashRequest {
  const command = commands.find((each) => each.name === name);
  const fields = command === undefined ? [] : fieldsOf(command);
  const ours = command !== undefined && takesPrivate(command);
  const input = given
    .filter((each) => !(ours && each.name === privateOption))
    .map((each) => [fields.find(({ key }) => key.toLowerCase() === each.name)?.key ?? each.name, each.value]);
  return {
    request: { name, input: Object.fromEntries(input) },
    private: ours && given.some((each) => each.name === privateOption && each.value === true),
  };
}

/** Values that may be meant by what is typed so far, best first. */
export function suggest(
  name: string,
  focused: { readonly name: string; readonly value: string },
  context: NamesContext,
): { readonly name: string; readonly value: string }[] {
  const command = context.commands.find((each) => each.name === name);
  const field = command && fieldsOf(command).find(({ key }) => key.toLowerCase() === focused.name);
  if (field === undefined) return [];
  return completeInput(field, focused.value, context, limits.choices)
    .map(({ label, text }) => ({ name: cut(label, limits.choice), value: text }))
    .filter(({ value }) => value !== '' && value.length <= limits.choice);
}
