import { describe, expect, it } from 'vitest';
import { slashCommands } from '#src/platforms/discord/slash.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { menuNames } from '#src/shell/translations/names.ts';
import { type MenuCatalogue, translations } from '#src/shell/translations.ts';
import { commands } from '#test/support/commands.ts';

/** What Discord allows a command and an option; Telegram allows a command 256. */
const longest = 100;

const english = new Map<string, string>([
  ['*.private', 'Only you see the answer'],
  ...commands.flatMap((command): [string, string][] => [
    [command.name, command.description],
    ...fieldsOf(command).map(({ key, description }): [string, string] => [
      `${command.name}.${key}`,
      description,
    ]),
    ...Object.entries(command.actions ?? {}).map(([action, { description }]): [string, string] => [
      `${command.name}.action.${action}`,
      description,
    ]),
  ]),
]);

it('in English, nothing is longer than the platforms allow', () => {
  for (const [key, text] of english) expect(text.length, key).toBeLessThanOrEqual(longest);
});

describe.each(Object.entries<MenuCatalogue>(translations))('translations/%s.ts', (_, catalogue) => {
  it('has every command and input, and nothing else', () => {
    expect(Object.keys(catalogue).sort()).toEqual([...english.keys()].sort());
  });

  it('is one plain line each, no longer than the platforms allow', () => {
    for (const [key, text] of Object.entries(catalogue)) {
      expect(text, key).toMatch(/^\S(.*\S)?$/);
      expect(text.length, key).toBeLessThanOrEqual(longest);
    }
  });

  it('says alike what is alike in English', () => {
    const said = new Map<string, string>();
    for (const [key, text] of english) {
      const translated = catalogue[key] ?? '';
      expect(translated, key).toBe(said.get(text) ?? translated);
      said.set(text, translated);
    }
  });

  it('leaves the names of commands and the examples as they are typed', () => {
    for (const [key, text] of english) {
      for (const [, name] of text.matchAll(/\b(BTCUSDT|top20|(?<=")\w+(?="))\b/g)) {
        expect(catalogue[key], key).toContain(name);
      }
    }
  });
});

const described = (all: readonly Described[]): Described[] =>
  all.flatMap((each) => [each, ...described(each.options ?? [])]);
const registered = slashCommands(commands, translations) as Described[];
const locales = ['es-ES', 'es-419', 'zh-CN'];

it('Discord is given each description in Spanish, of Spain and of Latin America, and in simplified Chinese', () => {
  for (const { name, description_localizations: localized } of described(registered)) {
    expect(Object.keys(localized ?? {}), name).toEqual(locales);
  }
});

it('Discord is given each name in the same languages: no name without one, none that names nothing', () => {
  for (const { name, name_localizations: localized } of described(registered)) {
    expect(Object.keys(localized ?? {}), name).toEqual(locales);
  }
  const inputs = new Set(commands.flatMap((command) => fieldsOf(command).map(({ key }) => key)));
  for (const names of Object.values(menuNames)) {
    expect(Object.keys(names.commands).sort()).toEqual(commands.map(({ name }) => name).sort());
    expect(Object.keys(names.inputs).sort()).toEqual([...inputs, 'private'].sort());
    expect(Object.keys(names.actions)).toEqual(commands.flatMap(({ actions = {} }) => Object.keys(actions)));
  }
});

it('every action of a command is one its input takes, with inputs it has', () => {
  for (const command of commands.filter(({ actions }) => actions !== undefined)) {
    const fields = fieldsOf(command);
    expect(Object.keys(command.actions ?? {})).toEqual(fields.find(({ key }) => key === 'action')?.choices);
    for (const { needs = [], takes = [] } of Object.values(command.actions ?? {})) {
      expect(fields.map(({ key }) => key)).toEqual(expect.arrayContaining([...needs, ...takes]));
    }
  }
});

interface Described {
  readonly name: string;
  readonly name_localizations?: Readonly<Record<string, string>>;
  readonly description_localizations?: Readonly<Record<string, string>>;
  readonly options?: readonly Described[];
}
