import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(read('package-lock.json'));
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('has the hash of every package', () => {
    expect(packages.length).toBeGreaterThan(100);
    expect(packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual(
      [],
    );
  });

  it('has every package from the registry, and none from git, a URL or a folder', () => {
    // The lock file names no address of a registry (.npmrc), so that any mirror can be used.
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
    expect(packages.filter(([, { resolved, link }]) => resolved !== undefined || link === true)).toEqual([]);
  });

  it('matches package.json, with one version of each direct package', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const asked = { ...dependencies, ...devDependencies, ...optionalDependencies };
    for (const [name, version] of Object.entries(asked))
      expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
  });
});

it('lists the page’s build tools as development packages only', () => {
  const building = packages.filter(([path]) =>
    /\/(vite|rolldown|lightningcss|preact|postcss|esbuild)$/.test(path),
  );
  expect(building.length).toBeGreaterThan(3);
  expect(building.filter(([, { dev }]) => dev !== true)).toEqual([]);
});

/** A component as in CycloneDX 1.5. */
interface Listed {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly unknown[];
  readonly properties?: readonly { readonly name: string }[];
}

describe('the bill of materials of a release', () => {
  const words = /npm (sbom .*) >/.exec(read('.github/workflows/release.yml'))?.[1]?.split(' ') ?? [];

  it('contains every package with its hash, and marks development packages', () => {
    const { components }: { components: readonly Listed[] } = JSON.parse(
      execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const production = components.filter(
      ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
    );
    const locked = packages.filter(([, { dev }]) => dev !== true);
    expect(new Set(production.map(({ name, version }) => `${name}@${version}`))).toEqual(
      new Set(locked.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`)),
    );
    expect(components.filter(({ hashes = [] }) => hashes.length === 0)).toEqual([]);
  });

  it('is checked for known vulnerabilities before the tests', () => {
    expect(read('.ci/run')).toMatch(/^npm ci\n\.ci\/audit\n.*^npm test &$/ms);
  });
});

/** These licences require only a notice, or (MPL) the publication of changes to their own files, which are unchanged here. */
const allowed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'OFL-1.1',
];

/** Evaluates an SPDX expression: of parts joined by OR one must be allowed, of parts joined by AND all. */
const isAllowed = (expression: string): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((each) => each.split(' AND ').every((id) => allowed.includes(id.trim())));

describe('the licences', () => {
  it.each<[string, boolean]>([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['MIT AND GPL-3.0-only', false],
    ['AGPL-3.0-only', false],
    ['UNLICENSED', false],
    ['', false],
  ])('of an expression such as "%s" are judged correctly', (expression, answer) => {
    expect(isAllowed(expression)).toBe(answer);
  });

  it('of all production packages are on the list', () => {
    const installed = packages.filter(([path, { dev }]) => dev !== true && existsSync(join(root, path)));
    expect(installed.length).toBeGreaterThan(50);
    const licences = installed.map(([path]) => {
      const { license } = JSON.parse(read(`${path}/package.json`));
      return [path, String(license?.type ?? license ?? '')] as const;
    });
    expect(licences.filter(([, license]) => !isAllowed(license))).toEqual([]);
  });
});

describe('SECURITY.md', () => {
  const rows = read('SECURITY.md')
    .split('\n')
    .filter((line) => /^\| (?!threat|---)/.test(line) && !line.startsWith('|---'));

  it('names a test that exists for each threat', () => {
    expect(rows.length).toBeGreaterThan(15);
    for (const row of rows) {
      const files = [...(row.split('|').at(-2) ?? '').matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g)].map(
        ([, file = '']) => file,
      );
      expect([row, files.length > 0 && files.every((file) => existsSync(join(root, file)))]).toEqual([
        row,
        true,
      ]);
    }
  });
});
