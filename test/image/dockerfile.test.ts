import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('the image starts what npm start starts, without npm in between', () => {
  const command = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1];
  expect((JSON.parse(command ?? '[]') as string[]).join(' ')).toBe(
    JSON.parse(read('package.json')).scripts.start,
  );
});

it('the image starts from the official image of the Node.js that everything runs on', () => {
  expect(read('Dockerfile')).toMatch(new RegExp(`^ARG BASE=node:${read('.nvmrc').trim()}-`, 'm'));
});

it('what .env holds is neither committed nor in an image', () => {
  expect(read('.gitignore').split('\n')).toContain('.env*');
  expect(read('.dockerignore').split('\n')[0]).toBe('*');
  expect(read('.dockerignore')).not.toMatch(/^!\.env/m);
});

it('SQLite’s temporary files are on the volume, because sorting fails without a writable folder', () => {
  const [volume] = /^VOLUME (\S+)$/m.exec(read('Dockerfile'))?.slice(1) ?? [];
  expect(read('Dockerfile')).toMatch(new RegExp(`^ENV .*\\bSQLITE_TMPDIR=${volume}$`, 'm'));
});

it.each([
  ['nobody’s user', /^USER 10001$/m],
  ['without what only development needs', /npm prune --omit=dev/],
  [
    'below an init, because a process 1 must wait for orphans, and nothing could kill it',
    /^ENTRYPOINT \["\/usr\/bin\/tini", "--"\]$/m,
  ],
])('the image is %s', (_rule, line) => {
  expect(read('Dockerfile')).toMatch(line);
});

it.each([
  ['well', 200, 0],
  ['unwell', 503, 1],
])('the health check of the image follows /healthz: %s', async (_rule, status, code) => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const given = /^HEALTHCHECK [^\n]*\\\n\s+CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1];
  const [, ...words] = JSON.parse(given ?? '[]') as string[];
  const { port } = server.address() as AddressInfo;
  const check = spawn(process.execPath, words, { env: { TOCSIN_HTTP_PORT: String(port) } });
  expect(await once(check, 'exit')).toEqual([code, null]);
  expect(asked).toEqual(['/healthz']);
});

it('the licence is MIT', () => {
  expect(read('LICENSE')).toMatch(/^MIT License\n/);
  expect(JSON.parse(read('package.json')).license).toBe('MIT');
});
