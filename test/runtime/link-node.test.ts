import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder } from '#test/support/folder.ts';

const script = new URL('../../src/runtime/link-node.js', import.meta.url).pathname;

/** Creates an install of npm 10: the package exists, but nothing links to it. */
async function installed() {
  const root = await ownFolder();
  const own = `node-${process.platform}-${process.arch}`;
  mkdirSync(join(root, 'src/runtime'), { recursive: true });
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(root, 'node_modules', own, 'bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules', own, 'bin/node'), '');
  copyFileSync(script, join(root, 'src/runtime/link-node.js'));
  const link = () => execFileSync(process.execPath, [join(root, 'src/runtime/link-node.js')]);
  return { link, own, linked: join(root, 'node_modules/.bin/node') };
}

it('every script finds the project’s Node.js even if npm has left out the link', async () => {
  const { link, own, linked } = await installed();
  link();
  expect(readlinkSync(linked)).toBe(`../${own}/bin/node`);
});

it('an existing link is kept', async () => {
  const { link, linked } = await installed();
  symlinkSync(process.execPath, linked);
  link();
  expect(readlinkSync(linked)).toBe(process.execPath);
});
