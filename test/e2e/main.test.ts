import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = join(import.meta.dirname, '../../src/main.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-main-'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', main, ...args],
      {
        cwd: folder,
        timeout: 15_000,
        env: { PATH: process.env.PATH, TOCSIN_DATABASE_URL: `file:${join(folder, 'data/bot.db')}`, ...env },
      },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

describe('the command line', () => {
  it.each([
    ['start', ['start']],
    ['serve', ['serve']],
    ['check', ['check']],
  ])('%s with a bad configuration ends with 78, every problem and no stack', async (_, args) => {
    const { code, err } = await run(args, { TOCSIN_HTTP_PORT: 'x', TOCSIN_LOG_LEVEL: 'x' });
    expect(code).toBe(78);
    expect(err).toContain('2 problems');
    expect(err).toContain('TOCSIN_HTTP_PORT');
    expect(err).toContain('TOCSIN_LOG_LEVEL');
    expect(err).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['an option that is none', ['serve', '--prot', '1'], 64, /--prot/],
    ['a command that is none', ['dance'], 64, /npm start/],
    ['a port that is none', ['serve', '--port', 'x'], 78, /--port: "x" was given/],
    ['a market that is none', ['serve', '--market', 'mars'], 78, /--market: "mars" was given/],
    [
      'a date that is none',
      ['replay', '--market', 'recorded:x', '--from', 'yesterday'],
      78,
      /--from: "yesterday"/,
    ],
    ['a folder without recordings', ['replay', '--market', 'recorded:/nowhere'], 78, /\/nowhere/],
    ['a replay of no recording', ['replay'], 78, /recorded:FOLDER is expected/],
  ])('%s is told with its remedy', async (_, args, expected, text) => {
    const { code, err } = await run(args);
    expect({ code, told: text.test(err), stack: /^\s+at /m.test(err) }).toEqual({
      code: expected,
      told: true,
      stack: false,
    });
  });

  it('check finds a fresh machine in order and changes nothing', async () => {
    const { code, out } = await run(['check']);
    expect(out).toMatch(/^ok {7}the configuration$/m);
    expect(code).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('check says what cannot be reached, and the remedy', async () => {
    const { code, out } = await run(['check'], {
      TOCSIN_API_URL: 'http://127.0.0.1:1/api/v1',
      TOCSIN_API_KEY: 'tocsin_0123456789abcdef',
      TOCSIN_DATABASE_URL: 'postgres://me:hunter2hunter2@127.0.0.1:1/x',
    });
    expect(code).toBe(78);
    expect(out).toMatch(/PROBLEM {2}the bot’s database/);
    expect(out).toMatch(/PROBLEM {2}the data service.*TOCSIN_API_URL/);
    expect(out).not.toContain('hunter2');
    expect(out).not.toContain('0123456789abcdef');
  });
});
