import { describe, expect, it } from 'vitest';
import { catalogueOf, english, languages } from '#src/language/languages.ts';
import { slashCommands } from '#src/platforms/discord/slash.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { commands } from '#test/support/commands.ts';
import { described, named } from '../language/said.ts';

/** The longest text of a command or option in Discord; Telegram allows 256 for a command. */
const longest = 100;

describe.each(languages)('the texts of menus in %s', (language) => {
  const { messages, menu } = catalogueOf(language);
  const said = described.map((text) => [text, language === english ? text : messages.get(text)] as const);

  it('are one plain line each, no longer than the platforms allow', () => {
    for (const [key, text = key] of said) {
      expect(text, key).toMatch(/^\S(.*\S)?$/);
      expect(text.length, key).toBeLessThanOrEqual(longest);
    }
  });

  it('keep the names of commands and the examples as they are typed', () => {
    for (const [key, text = key] of said) {
      for (const [name] of key.matchAll(/\b(BTCUSDT|top20|(?<=")\w+(?="))\b/g)) {
        expect(text, key).toContain(name);
      }
    }
  });

  it('have names that Discord accepts, which differ from each other', () => {
    for (const names of Object.values(menu)) {
      for (const name of names.values()) {
        expect(name).toMatch(/^[-_\p{L}\p{N}]{1,32}$/u);
        expect(name).toBe(name.toLowerCase());
      }
    }
    const neighbours = [
      [menu.commands, named.commands],
      [menu.actions, named.actions],
      ...commands.map((command) => [menu.inputs, fieldsOf(command).map(({ key }) => key)] as const),
    ] as const;
    for (const [names, keys] of neighbours) {
      const own = keys.map((key) => names.get(key) ?? key.toLowerCase());
      expect(new Set(own).size, own.join(' ')).toBe(own.length);
    }
  });
});

it('Discord gets each language for all of its locales that can read it: Latin America, but not Taiwan', () => {
  const help = slashCommands(commands).find((each) => 'name' in each && each.name === 'help');
  expect(help).toMatchObject({
    name_localizations: { 'es-ES': 'ayuda', 'es-419': 'ayuda', 'zh-CN': '帮助' },
    description_localizations: {
      'es-ES': 'Todos los comandos, o uno explicado',
      'es-419': 'Todos los comandos, o uno explicado',
      'zh-CN': '列出全部命令，或说明其中一个',
    },
  });
  expect(help).not.toHaveProperty('description_localizations.zh-TW');
});

it('every action of a command is valid for its input, with existing inputs', () => {
  for (const command of commands.filter(({ actions }) => actions !== undefined)) {
    const fields = fieldsOf(command);
    expect(Object.keys(command.actions ?? {})).toEqual(fields.find(({ key }) => key === 'action')?.choices);
    for (const { requiredInputs: needs = [], optionalInputs: takes = [] } of Object.values(
      command.actions ?? {},
    )) {
      expect(fields.map(({ key }) => key)).toEqual(expect.arrayContaining([...needs, ...takes]));
    }
  }
});
