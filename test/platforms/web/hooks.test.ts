import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import type { HookRequest } from '#src/hook/receive.ts';
import { Secret } from '#src/runtime/secret.ts';
import { startConsole } from '#test/support/console.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(options: Parameters<typeof startConsole>[0] = {}) {
  const brought: HookRequest[] = [];
  const console = await startConsole({
    async receiveHook(given) {
      brought.push(given);
      return { status: 202, body: { status: 'accepted', alerts: 1 } };
    },
    ...options,
  });
  open.push(console.close);
  const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    request(`${console.url}${path}`, { method: 'POST', body, headers });
  return { brought, post };
}

describe('POST /hooks/ID', () => {
  it.each([
    ['application/json', '{ "a":  1 }'],
    ['text/plain; charset=utf-8', 'BTCUSDT Crossing 65,000.00'],
    ['application/x-anything', Buffer.from([0xff, 0x00])],
  ])('passes on the exact bytes of %s', async (type, body) => {
    const { brought, post } = await start();
    const { statusCode, body: answer } = await post('/hooks/abcd2345', body, { 'content-type': type });
    expect([statusCode, await answer.json()]).toEqual([202, { status: 'accepted', alerts: 1 }]);
    const [given] = brought;
    expect([given?.id, given?.secret, Buffer.from(given?.body ?? [])]).toEqual([
      'abcd2345',
      undefined,
      Buffer.from(body),
    ]);
    expect(given?.headers['content-type']).toBe(type);
  });

  it('accepts a secret in the path, and an empty body', async () => {
    const { brought, post } = await start();
    expect((await post('/hooks/abcd2345/s3cret', '')).statusCode).toBe(202);
    expect(brought).toMatchObject([{ id: 'abcd2345', secret: 's3cret' }]);
    expect(brought[0]?.body).toHaveLength(0);
  });

  it('requires its own secret and not the page’s token', async () => {
    const { post } = await start({ token: new Secret('0123456789abcdef') });
    expect((await post('/hooks/abcd2345', 'x')).statusCode).toBe(202);
    expect((await post('/api/commands', 'x')).statusCode).toBe(401);
  });

  it('takes a body of 1 MB, and of a larger one passes on only that it came', async () => {
    const { brought, post } = await start();
    const sizes = [330_000, 1_024 * 1_024, 1_024 * 1_024 + 1];
    for (const size of sizes) await post('/hooks/abcd2345/s3cret', 'x'.repeat(size));
    expect(brought.map(({ secret, body }) => [secret, body?.length])).toEqual([
      ['s3cret', 330_000],
      ['s3cret', 1_024 * 1_024],
      ['s3cret', undefined],
    ]);
  });

  it('says in seconds when to try again', async () => {
    const { post } = await start({
      receiveHook: async () => ({ status: 503, body: { error: 'too often' }, retryAfter: 7 }),
    });
    const { statusCode, headers } = await post('/hooks/abcd2345', 'x');
    expect([statusCode, headers['retry-after']]).toEqual([503, '7']);
  });

  it('fails without giving the reason if the message could not be stored', async () => {
    const { post } = await start({ receiveHook: () => Promise.reject(new Error('the disk is full')) });
    const { statusCode, body } = await post('/hooks/abcd2345', 'x');
    expect([statusCode, await body.text()]).toEqual([500, expect.not.stringMatching('disk')]);
  });

  it('is closed to browsers of other sites', async () => {
    const { post } = await start();
    const { statusCode } = await post('/hooks/abcd2345', 'x', { origin: 'https://elsewhere.example' });
    expect(statusCode).toBe(403);
  });
});
