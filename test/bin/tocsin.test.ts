import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFolder } from '#test/support/folder.ts';

const root = resolve(import.meta.dirname, '../..');
const launcher = join(root, 'bin/tocsin.js');

/** What makes this Node.js look like one that is too old: its version, and what it lacks. */
const old = `Object.defineProperty(process.versions, 'node', { value: '20.11.0' }); process.execve = undefined;`;
const asOld = ['--import', `data:text/javascript,${encodeURIComponent(old)}`];
const env = { PATH: process.env.PATH ?? '' };
const ask = (before: readonly string[], words: readonly string[], file = launcher) =>
  spawnSync(process.execPath, [...before, file, ...words], { env, encoding: 'utf8' });

describe.each([
  ['the Node.js of the project', []],
  ['an old Node.js', asOld],
])('started by %s, the launcher', (_, before) => {
  it('runs the program on the Node.js of the project', () => {
    const { status, stdout } = ask(before, ['node', '-p', 'process.version']);
    expect({ status, version: stdout.trim() }).toEqual({ status: 0, version: process.version });
  });

  it('runs the commands of Tocsin', () => {
    expect(ask(before, ['--help'])).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/^npm start /),
    });
  });

  it('ends with the exit code of the program', () => {
    expect(ask(before, ['node', '-e', 'process.exit(3)']).status).toBe(3);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('hands on %s and ends by it', async (signal) => {
    const waiting = "console.log('there'); setInterval(() => {}, 1_000)";
    const child = spawn(process.execPath, [...before, launcher, 'node', '-e', waiting], { env });
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
  });
});

describe('where no Node.js is installed into the project', () => {
  async function elsewhere() {
    const folder = await ownFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    copyFileSync(launcher, join(folder, 'bin/tocsin.js'));
    return join(folder, 'bin/tocsin.js');
  }

  it('an old one says in one sentence what to do, and ends as with a wrong configuration', async () => {
    const { status, stdout, stderr } = ask(asOld, ['start'], await elsewhere());
    expect({ status, stdout }).toEqual({ status: 78, stdout: '' });
    expect(stderr).toMatch(/^Tocsin needs Node\.js 26 or newer, and this is 20\.11\.0: run "npm ci".*\n$/);
  });

  it('one that is new enough is used', async () => {
    expect(ask([], ['node', '-p', '1 + 1'], await elsewhere())).toMatchObject({ status: 0, stdout: '2\n' });
  });
});
