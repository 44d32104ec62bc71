import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const pages = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`),
];
const read = (page: string) => readFileSync(join(root, page), 'utf8');

/** Files and folders that a page names: by a link, relative to itself, or in code, from the root. */
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
  test('every file and folder it names exists', () => {
    expect(named(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('every npm script it names exists', () => {
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

test('README.md is read in a few minutes: 150 lines at most', () => {
  expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('the Node.js that .nvmrc names is the one that npm ci installs', () => {
  const { optionalDependencies } = JSON.parse(read('package.json'));
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([read('.nvmrc').trim()]));
});
