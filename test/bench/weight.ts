import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Figure, report } from './measuring/figures.ts';
import { inFolder } from './measuring/program.ts';

/** Runs `npm ci` twice, mostly from npm's cache. */
export const slow = true;

/** Number of packages that are listed; the sizes of the others are added up. */
const parts = 6;

/** `npm run bench -- weight`: the size of what `npm ci` installs for the last commit. test/image/try.sh measures the image. */
export default async function weight(): Promise<void> {
  report('weight of what npm ci installs', [
    ...(await installed('to run it', ['--omit=dev'], 200)),
    ...(await installed('to develop it', [], 450)),
  ]);
}

const installed = (purpose: string, args: readonly string[], most: number): Promise<Figure[]> =>
  inFolder(async (folder) => {
    const archive = execFileSync('git', ['archive', 'HEAD'], { maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', ...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const packages = packagesOf(join(folder, 'node_modules'));
    const sum = (sizes: typeof packages) => sizes.reduce((bytes, each) => bytes + each.bytes, 0) / 1e6;
    return [
      { name: `${purpose}: ${packages.length} packages`, value: sum(packages), unit: 'MB', bound: { most } },
      ...packages.slice(0, parts).map((each) => ({ name: `  ${each.name}`, value: sum([each]), unit: 'MB' })),
      { name: '  the others', value: sum(packages.slice(parts)), unit: 'MB' },
    ];
  });

/** Returns the size of each package in this folder, the largest first. */
function packagesOf(modules: string): { name: string; bytes: number }[] {
  const names = readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
    );
  return names
    .map((name) => ({ name, bytes: bytesIn(join(modules, name)) }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Returns the size on the disk, in whole blocks. */
function bytesIn(path: string): number {
  const { blocks } = lstatSync(path);
  const below = lstatSync(path).isDirectory() ? readdirSync(path) : [];
  return below.reduce((bytes, name) => bytes + bytesIn(join(path, name)), 512 * blocks);
}
