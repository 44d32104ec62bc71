import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slashCommands } from '#src/platforms/discord/slash.ts';
import { commands } from '#test/support/commands.ts';

interface MenuOption {
  readonly type: number;
  readonly name: string;
  readonly options?: readonly MenuOption[];
}

const menu = slashCommands(commands) as readonly MenuOption[];
const src = new URL('../../../src/', import.meta.url).pathname;

/** The hints in the sources, as Discord shows them. */
const hints = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => [
    ...readFileSync(join(src, file), 'utf8').matchAll(
      /\btyped\(\s*(['`])(?<line>[^'`]+)\1(?:,\s*(['`])(?<filled>[^'`]+)\3)?/g,
    ),
  ])
  .map(({ groups }) => (groups?.filled ?? groups?.line ?? '').replaceAll(/\$\{[^}]*\}+/g, 'x'));

it.each([...new Set(hints)].filter((hint) => !hint.startsWith('x ')))(
  '%s is a command of the menu with its options',
  (hint) => {
    const [name, ...words] = hint.split(' ');
    const command = menu.find((each) => each.name === name);
    expect(command).toBeDefined();
    const actions = command?.options?.filter(({ type }) => type === 1) ?? [];
    const action = actions.find((each) => each.name === words[0]);
    expect(action !== undefined || actions.length === 0 || words.length === 0).toBe(true);
    const options = (action ?? command)?.options?.map((each) => each.name) ?? [];
    const given = words.slice(action === undefined ? 0 : 1).join(' ');
    // Values contain spaces, and nothing stands before the first name.
    expect(given).toMatch(/^(?:\w+:|$)/);
    for (const [, key = ''] of given.matchAll(/(?:^| )(\w+):/g)) expect(options).toContain(key);
  },
);

it('finds the hints', () => {
  expect(hints.length).toBeGreaterThan(40);
});
