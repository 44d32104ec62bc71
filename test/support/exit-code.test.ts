import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

it('npm test fails if a test fails, whatever its set-up does at the end of the process, and lists what it skipped', () => {
  const vitest = resolve(root, 'node_modules/vitest/vitest.mjs');
  const config = 'test/fixtures/failing/vitest.config.ts';
  const { status, stdout } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', config, '--root', root],
    {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' },
    },
  );
  expect(stdout).toMatch(/1 failed/);
  expect(stdout).toMatch(/^Skipped: 2 without what is nowhere\.$/m);
  expect(status).toBe(1);
});
