import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { second } from '#src/runtime/units.ts';
import { report } from './measuring/figures.ts';
import { flags, load } from './measuring/program.ts';

/** Needs recordings. */
export const slow = true;

const root = resolve(import.meta.dirname, '../..');
const window = ['--from', '2022-11-01', '--to', '2022-11-20'];

/**
 * `npm run bench -- november-2022 -- [FOLDER]`: two runs of `npm run replay -- --market recorded:FOLDER` over November 2022 say the
 * same, line by line.
 */
export default async function november2022([folder]: readonly string[]): Promise<void> {
  const market = `recorded:${resolve(folder ?? join(root, '../shared/market-data'))}`;
  const run = async (): Promise<{ readonly lines: readonly string[]; readonly took: number }> => {
    const begun = performance.now();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...flags, join(root, 'src/main.ts'), 'replay', '--market', market, ...window],
      { env: { PATH: process.env.PATH }, maxBuffer: 2 ** 26 },
    );
    return { lines: stdout.trimEnd().split('\n'), took: (performance.now() - begun) / second };
  };
  const [one, other] = [await run(), await run()];
  const length = Math.max(one.lines.length, other.lines.length);
  const differing = Array.from({ length }, (_, n) => n).filter((n) => one.lines[n] !== other.lines[n]);
  report('two replays of 1 to 20 November 2022', [
    { name: 'lines', value: one.lines.length, unit: '', bound: { least: 2 } },
    { name: 'lines that differ between them', value: differing.length, unit: '', bound: { most: 0 } },
    { name: 'took, the longer of two', value: Math.max(one.took, other.took), unit: 's' },
    load(),
  ]);
}
