import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('the image starts what npm start starts, without npm in between', () => {
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1];
  expect((JSON.parse(command ?? '[]') as string[]).join(' ')).toBe(
    JSON.parse(read('package.json')).scripts.start,
  );
});

it('what .env holds is neither committed nor in an image', () => {
  expect(read('.gitignore').split('\n')).toContain('.env*');
  expect(read('.dockerignore').split('\n')[0]).toBe('*');
  expect(read('.dockerignore')).not.toMatch(/^!\.env/m);
});

it('SQLite sorts on the volume: without a folder it can write it fails with an I/O error', () => {
  const [volume] = /^VOLUME (\S+)$/m.exec(read('Dockerfile'))?.slice(1) ?? [];
  expect(read('Dockerfile')).toMatch(new RegExp(`^ENV .*\\bSQLITE_TMPDIR=${volume}$`, 'm'));
});
