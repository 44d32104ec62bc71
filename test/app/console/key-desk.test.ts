import { expect, it, onTestFinished } from 'vitest';
import { createKeyDesk } from '#src/app/console/key-desk.ts';
import { createApiKeys } from '#src/app/talking.ts';
import { openStore } from '#src/store/open.ts';
import { startConsole } from '#test/support/console.ts';

const main = { notifier: 'web', address: { room: 'main' } };
const wall = { now: () => Date.UTC(2026, 2, 14) };

async function openDesk() {
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  const desk = createKeyDesk({ store, nameOf: async ({ notifier }) => `a place of ${notifier}`, wall });
  return { desk, holderOf: createApiKeys(store, wall).findHolder };
}

it('a key of the page is admitted until it is revoked, and its text is in no later answer', async () => {
  const { desk, holderOf } = await openDesk();
  const text = await desk.create({ name: 'bot', scopes: ['read'], receiver: main });
  expect(await holderOf(text)).toMatchObject({ name: 'bot', receiver: main, scopes: new Set(['read']) });
  const [row] = await desk.list();
  expect(row).toMatchObject({ name: 'bot', scopes: ['read'], place: 'a place of web', requests: 1 });
  expect(JSON.stringify(row)).not.toContain(text.slice(-20));
  await desk.revoke(row?.id ?? '');
  expect(await holderOf(text)).toBeUndefined();
  expect(await desk.list()).toEqual([]);
  await expect(desk.revoke(row?.id ?? '')).rejects.toMatchObject({ code: 'unknown' });
});

it('no key is for a place that gets nothing: it would be somebody else’s address', async () => {
  const { desk } = await openDesk();
  const receiver = { notifier: 'telegram', address: { chatId: 5 } };
  await expect(desk.create({ name: '', scopes: ['manage'], receiver })).rejects.toMatchObject({
    code: 'unknown',
  });
  expect(await desk.list()).toEqual([]);
});

it.each([
  ['no scope', { name: '', scopes: [], receiver: main }],
  ['an unknown scope', { name: '', scopes: ['root'], receiver: main }],
  ['a name that rewrites a terminal', { name: 'a\u001b[2J', scopes: ['read'], receiver: main }],
  ['a name without end', { name: 'x'.repeat(81), scopes: ['read'], receiver: main }],
  ['more than a draft', { name: '', scopes: ['read'], receiver: main, id: 'x' }],
])('a request with %s is refused', async (_, body) => {
  const { desk } = await openDesk();
  const console = await startConsole({ keyDesk: desk });
  onTestFinished(() => console.close());
  const answer = await fetch(`${console.url}/api/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(400);
  expect(await desk.list()).toEqual([]);
});
