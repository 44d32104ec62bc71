import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const pages = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
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

test('README.md has at most 150 lines, to be read in a few minutes', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('npm ci installs the Node.js version that .nvmrc names', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([read('.nvmrc').trim()]));
});
