import { expect, it, onTestFinished } from 'vitest';
import { Secret } from '#src/runtime/secret.ts';
import { noConnecting, startConsole } from '#test/support/console.ts';
import { jsonRequest } from '#test/support/json-request.ts';

const operator = 'the-operators-own-token';
const viewer = 'a-token-for-viewers';

async function console(calls: string[]) {
  const called = (name: string) => async () => {
    calls.push(name);
    return Promise.reject(new Error('not to be reached'));
  };
  const made = await startConsole({
    token: new Secret(operator),
    viewerToken: new Secret(viewer),
    connecting: {
      ...noConnecting,
      list: called('list'),
      connect: called('connect'),
      disconnect: called('disconnect'),
      sample: called('sample'),
      begin: called('begin'),
    },
    settings: {
      list: () => [void calls.push('settings')] as never,
      change: called('change'),
      preview: called('preview'),
    },
    destinations: {
      list: called('destinations'),
      mute: called('mute'),
      restyle: called('restyle'),
      test: called('test'),
    },
    keyDesk: { list: called('keys'), create: called('create'), revoke: called('revoke') },
  });
  onTestFinished(() => made.close());
  return made.url;
}

const acts = [
  ['GET', '/api/connecting', undefined],
  ['PUT', '/api/connecting/discord', { options: { token: 'x' } }],
  ['DELETE', '/api/connecting/discord', undefined],
  ['POST', '/api/connecting/discord/sample', { place: 'x' }],
  ['POST', '/api/connecting/discord/subscription', { place: 'x' }],
  ['GET', '/api/settings', undefined],
  ['PUT', '/api/settings/delivery.budget', { value: 3 }],
  ['DELETE', '/api/settings/delivery.budget', undefined],
  ['POST', '/api/settings/delivery.budget/preview', { value: 3 }],
  ['GET', '/api/destinations', undefined],
  ['POST', '/api/destinations/mute', { receiver: { notifier: 'web', address: { room: 'a' } }, on: true }],
  [
    'POST',
    '/api/destinations/look',
    { receiver: { notifier: 'web', address: { room: 'a' } }, id: 's1', look: { style: 'minimal' } },
  ],
  ['POST', '/api/looks', { look: { style: 'minimal' } }],
  ['POST', '/api/destinations/test', { receiver: { notifier: 'web', address: { room: 'a' } } }],
  ['GET', '/api/keys', undefined],
  [
    'POST',
    '/api/keys',
    { name: '', scopes: ['read'], receiver: { notifier: 'web', address: { room: 'main' } } },
  ],
  ['DELETE', '/api/keys/0123456789ab', undefined],
] as const;

it.each([
  ['a viewer', { authorization: `Bearer ${viewer}` }, 403],
  ['somebody without a token', {}, 401],
  ['a key of the API', { authorization: 'Bearer tocsinbot_0123456789_abcdefghijklmnop' }, 401],
  ['another site', { authorization: `Bearer ${operator}`, origin: 'https://evil.example' }, 403],
])('nobody but the operator sees or changes what is connected: %s', async (_, headers, status) => {
  const calls: string[] = [];
  const url = await console(calls);
  for (const [method, path, body] of acts) {
    const asked = body === undefined ? { method, headers } : jsonRequest(method, body, headers);
    const answer = await fetch(url + path, asked as RequestInit);
    expect([method, path, answer.status]).toEqual([method, path, status]);
  }
  expect(calls).toEqual([]);
});

it.each([{ options: { token: 5 } }, { options: 'x' }, {}, { options: { token: 'x'.repeat(2_001) } }])(
  'what is no list of texts is refused before anything is asked',
  async (body) => {
    const calls: string[] = [];
    const url = await console(calls);
    const asked = jsonRequest('PUT', body, { authorization: `Bearer ${operator}` });
    const answer = await fetch(`${url}/api/connecting/discord`, asked);
    expect([answer.status, calls]).toEqual([400, []]);
  },
);
