import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { percentile, report } from './measuring/figures.ts';

const root = resolve(import.meta.dirname, '../..');

/** Lines of all detectors before they used the kit's `episode`. */
const before = 4_823;
/** Detectors that were added after that count. */
const since = ['funding-gap', 'listing', 'oi-all-venues'];

/** `npm run bench -- lines`: the number of lines of the detectors and of the files of `src`. */
export default function lines(): void {
  const files = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
    file,
    count: readFileSync(join(root, file), 'utf8').split('\n').length - 1,
  }));
  const counts = files.map(({ count }) => count);
  const detectors = files.filter(({ file }) => /^src\/detectors\/(kit\/)?[\w-]+\.ts$/.test(file));
  const sum = (of: typeof files) => of.reduce((all, { count }) => all + count, 0);
  const ofThen = detectors.filter(({ file }) => !since.some((name) => file.endsWith(`/${name}.ts`)));
  report('lines', [
    { name: 'of src/detectors and its kit', value: sum(detectors), unit: '' },
    {
      name: `  without ${since.length} detectors that are new`,
      value: sum(ofThen),
      unit: '',
      bound: { most: Math.floor(0.75 * before) },
      baseline: { name: 'what they were before one episode', value: before },
    },
    { name: 'files of src', value: files.length, unit: '' },
    { name: 'of a file, median', value: percentile(counts, 0.5), unit: '', bound: { most: 80 } },
    { name: 'of the longest', value: percentile(counts, 1), unit: '', bound: { most: 300 } },
  ]);
}
