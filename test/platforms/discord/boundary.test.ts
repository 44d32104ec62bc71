import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { patience } from '#test/support/patience.ts';

const program = new URL('boundary.program.ts', import.meta.url).pathname;
const run = async (what: string) =>
  (
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', program, what], {
      timeout: patience,
    })
  ).stdout
    .trim()
    .split('\n');

it.each([
  'op 9 before RESUMED: false',
  'op 9 before RESUMED: true',
  'op 9 before RESUMED: nothing',
  'an event without its fields',
])(
  'an error inside discord.js ends its client and not the process, and commands are answered: %s',
  async (what) => {
    const lines = await run(what);
    expect(lines.at(-1)).toBe('answered 1');
    expect(lines.filter((line) => line.startsWith('fatal'))).toEqual([]);
  },
);

it('an error of our own, that nothing catches, is not contained', async () => {
  expect(await run('an error of our own')).toContain('fatal: a defect');
});
