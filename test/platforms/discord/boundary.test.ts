import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { patience } from '#test/support/patience.ts';

const program = new URL('boundary.program.ts', import.meta.url).pathname;
const ofLibrary = [
  'op 9 before RESUMED: false',
  'op 9 before RESUMED: true',
  'op 9 before RESUMED: nothing',
  'an event without its fields',
];
const ofOurs = 'an error of our own';

it('an error inside discord.js ends its client and not the process; one of our own, that nothing catches, is not contained', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, ...ofLibrary, ofOurs],
    { timeout: patience },
  );
  const lines = stdout.trim().split('\n');
  for (const what of ofLibrary) expect(lines).toContain(`${what}: answered 1`);
  expect(lines.filter((line) => line.startsWith('fatal'))).toEqual(['fatal: a defect']);
  const lastOfLibrary = lines.indexOf(`${ofLibrary.at(-1)}: answered 1`);
  expect(lines.indexOf('fatal: a defect')).toBeGreaterThan(lastOfLibrary);
});
