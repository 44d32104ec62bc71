import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ownFolder } from '#test/support/folder.ts';
import { argumentsFor } from '../../../bin/tocsin.js';

const root = resolve(import.meta.dirname, '../../..');
const flags = argumentsFor(['start']).filter((word) => word.startsWith('--'));

it('npm prepare compiles with the flags of npm start, because V8 rejects code cached with other flags', () => {
  expect(argumentsFor(['prepare']).slice(0, -1)).toEqual(argumentsFor(['start']).slice(0, -1));
});

it('after preparation no thread has to strip types from any file', async () => {
  const cache = await ownFolder();
  const run = (words: readonly string[]) =>
    promisify(execFile)(process.execPath, [...flags, ...words], {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: cache },
      encoding: 'utf8',
    });
  /** Node.js modules that are loaded only when types have to be stripped. */
  const script = `
    const { globSync } = await import('node:fs');
    const files = globSync('src/**/*.ts', { exclude: ['src/web'] }).slice(0, Number(process.argv[1]));
    const text = (file) => "import 'data:text/javascript,throw null'; import 'file://${root}/" + file + "'";
    for (const file of files)
      await import('data:text/javascript,' + encodeURIComponent(text(file))).catch((error) => {
        if (error !== null) throw error;
      });
    console.log(files.length, process.moduleLoadList.filter((name) => name.includes('amaro')).join());`;
  const load = async (most: number) =>
    (await run(['--input-type=module', '--eval', script, String(most)])).stdout.trim();
  expect(await load(1)).toMatch(/^1 NativeModule .*amaro/);
  await run(['src/app/main.ts', 'prepare']);
  expect(await load(10_000)).toMatch(/^\d{3,4}$/);
});
