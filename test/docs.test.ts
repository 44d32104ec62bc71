import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { mcpPath } from '#src/platforms/web/routes.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import type { Command } from '#src/shell/command.ts';
import { helpOn, helpOverview } from '#src/shell/usage.ts';
import { findCommand } from '#src/shell/vocabulary.ts';

const root = resolve(import.meta.dirname, '..');
const pages = [
  'llms.txt',
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file !== 'pictures')
    .map((file) => `docs/${file}`),
];
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** Returns the files and folders that a page names: in a link relative to the page, or in code relative to the root. */
function named(page: string): string[] {
  const text = read(page);
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, to = '']) => to)
    .filter((to) => !/^[a-z]+:/.test(to))
    .map((to) => relative(root, resolve(root, dirname(page), to)));
  const inCode = [...text.matchAll(/`((?:src|test|docs|config|\.ci|\.github)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  return [...links, ...inCode];
}

describe.each(pages)('%s', (page) => {
  test('names only files and folders that exist', () => {
    expect(named(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const wanted = [...read(page).matchAll(/npm run ([a-z-]+)/g)].map(([, name = '']) => name);
    expect(wanted.filter((name) => !(name in scripts))).toEqual([]);
  });

  test('names only benchmarks that exist', () => {
    const named = [...read(page).matchAll(/npm run bench -- ([a-z]+(?:-[a-z]+)*)/g)];
    const inTable =
      page === 'docs/measured.md' ? [...read(page).matchAll(/\| `([a-z-]+)(?: -- [^`]*)?` \|$/gm)] : [];
    const benches = [...named, ...inTable].map(([, name = '']) => `test/bench/${name}.ts`);
    expect(benches.filter((file) => !file.endsWith('/all.ts') && !existsSync(join(root, file)))).toEqual([]);
  });
});

test('there are some fifteen benchmarks, each with a row in docs/measured.md', () => {
  const benches = readdirSync(join(root, 'test/bench'))
    .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
    .map((file) => file.replace('.ts', ''));
  expect(benches.length).toBeLessThanOrEqual(17);
  const measured = read('docs/measured.md');
  expect(benches.filter((name) => !new RegExp(`\\| \`${name}\\b`).test(measured))).toEqual([]);
});

test('docs/architecture.md names files on every walk', () => {
  const walks = read('docs/architecture.md')
    .split(/^## /m)
    .filter((part) => part.startsWith('A walk'));
  expect(walks).toHaveLength(6);
  for (const walk of walks) expect(walk.match(/\]\(\.\.\/src\//g)?.length).toBeGreaterThanOrEqual(5);
});

test('docs/mini.md is docs/mini.ts, written out; `npm run generate` writes it', async () => {
  // What stands in a comment of its own is text, and what is between two of them is code.
  const parts = read('docs/mini.ts').split(/^\/\*\n(.*?)^\*\/\n/ms);
  const written = parts
    .map((part, at) => (at % 2 === 1 ? part : `\`\`\`ts\n${part.trim()}\n\`\`\``))
    .slice(1);
  await expect(`${written.map((part) => part.trim()).join('\n\n')}\n`).toMatchFileSnapshot(
    join(root, 'docs/mini.md'),
  );
});

test('README.md has at most 120 lines, to be read in a few minutes', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120);
});

test('npm ci installs the Node.js version that .nvmrc names', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([read('.nvmrc').trim()]));
});

test('docs/commands.md explains every command and each of its inputs; `npm run generate` writes it', async () => {
  const commands = await loadPlugins<Command>(join(root, 'src/commands'));
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  const overview = sayCard(helpOverview(commands), plainReader).table?.rows ?? [];
  const explained = (name: string) => {
    const { summary, facts = [], table } = sayCard(helpOn(findCommand(name, commands)), plainReader);
    const inputs = table === undefined ? [] : ['', row(table.columns), '|---|---|', ...table.rows.map(row)];
    const who = facts.slice(1).map(({ name: what, value }) => `. ${what}: ${value}`);
    return [`### ${name}`, '', `\`${facts[0]?.value}\``, '', `${summary}${who.join('')}.`, ...inputs, ''];
  };
  const sections = overview.flatMap(([first = '', meaning]) =>
    meaning === '' ? [`## ${first}`, ''] : explained(first.split(' ')[0] ?? ''),
  );
  const intro =
    'The same commands everywhere: on the page, in the terminal, as slash commands in Discord, and with or without a slash in Telegram. ' +
    'Inputs in `<>` are required, those in `[]` may be left out; write them in this order, or as `key=value`.';
  const text = ['# Commands', '', intro, '', ...sections].join('\n');
  await expect(`${text.trimEnd()}\n`).toMatchFileSnapshot(join(root, 'docs/commands.md'));
});

test('PRIVACY.md states how long alerts and logs are kept as the settings have it', () => {
  const [, days] = /^ {2}keep: (\d+)d /m.exec(read('config/default.yaml')) ?? [];
  const stated = [...read('PRIVACY.md').matchAll(/(\d+) days \(`delivery\.keep`\)/g)].map(
    ([, number]) => number,
  );
  expect(stated).toEqual([days, days]);
});

test('server.json describes the agents’ endpoint of this version', () => {
  const { version, remotes } = JSON.parse(read('server.json'));
  expect(version).toBe(JSON.parse(read('package.json')).version);
  expect(remotes).toEqual([
    expect.objectContaining({ type: 'streamable-http', url: `http://{host}${mcpPath}` }),
  ]);
});
