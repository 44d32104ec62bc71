import { describe, expect, it } from 'vitest';
import { fieldsOf } from '#src/command/fields.ts';
import { type Catalogue, translations } from '#src/command/translations.ts';
import { slashCommands } from '#src/platforms/discord/slash.ts';
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
  ]),
]);

it('in English, nothing is longer than the platforms allow', () => {
  for (const [key, text] of english) expect(text.length, key).toBeLessThanOrEqual(longest);
});

describe.each(Object.entries<Catalogue>(translations))('translations/%s.ts', (_, catalogue) => {
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

it('Discord is given each description in Spanish, of Spain and of Latin America, and in simplified Chinese', () => {
  const described = (slashCommands(commands, translations) as Described[]).flatMap((command) => [
    command,
    ...(command.options ?? []),
  ]);
  expect(described.length).toBeGreaterThanOrEqual(english.size - 1);
  for (const { name, description_localizations: localized } of described) {
    expect(Object.keys(localized ?? {}), name).toEqual(['es-ES', 'es-419', 'zh-CN']);
  }
});

interface Described {
  readonly name: string;
  readonly description_localizations?: Readonly<Record<string, string>>;
  readonly options?: readonly Described[];
}
