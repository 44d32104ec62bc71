import { expect, it, onTestFinished } from 'vitest';
import { createPushDesk } from '#src/app/console/push-desk.ts';
import { sayCard } from '#src/card/say-card.ts';
import { UserError } from '#src/language/errors.ts';
import { plainReader } from '#src/language/say.ts';
import { msg } from '#src/language/text.ts';
import { openNotifier } from '#src/platforms/push/notifier.ts';
import platform from '#src/platforms/push/platform.ts';
import { openStore } from '#src/store/open.ts';
import { commandContext } from '#test/support/commands.ts';
import { startConsole } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { createBrowser, startPushService, trustDouble } from '#test/support/push-service.ts';

const now = Date.UTC(2026, 2, 14, 9, 30);

/** A page over a stored bot that posts to a push service. */
async function openPage() {
  onTestFinished(trustDouble());
  const store = await openStore('file::memory:');
  onTestFinished(() => store.close());
  const service = await startPushService({ now: () => now });
  onTestFinished(() => service.close());
  const options = platform.options.parse({ services: ['127.0.0.1'], allow: ['127.0.0.1'] });
  const connection = openNotifier(
    options,
    notifierPorts({ recall: store.settings.get, wall: { now: () => now, sleep: async () => {} } }),
  );
  onTestFinished(() => connection.close?.());
  const signal = new AbortController().signal;
  const push = createPushDesk({
    used: [{ platform, options }],
    store,
    contextOf: async (caller) =>
      commandContext({
        store,
        caller,
        async tryPost({ address }, card) {
          const post = {
            id: 'n-1',
            version: 'v1',
            card: sayCard(card, plainReader),
            loud: true,
            doubt: false,
          };
          await connection.send(post, { address, signal }).catch((cause) => {
            throw new UserError(msg('No post arrives there.'), { cause });
          });
        },
      }),
  });
  const console = await startConsole({ push });
  onTestFinished(() => console.close());
  const ask = async (method: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${console.url}/api/push`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { key?: string; error?: string } };
  };
  const browser = createBrowser();
  const subscription = (endpoint = service.endpoint) => ({
    endpoint,
    expirationTime: null,
    keys: { p256dh: browser.p256dh, auth: browser.auth },
  });
  const receiver = {
    notifier: 'push',
    address: { endpoint: service.endpoint, p256dh: browser.p256dh, auth: browser.auth },
  };
  return { store, service, ask, subscription, browser, receiver };
}

it('a browser that asks for alerts gets a test post at once, with the key that it subscribed with, and is stored', async () => {
  const { store, service, ask, subscription, browser, receiver } = await openPage();
  const { key } = (await ask('GET')).body;
  expect((await ask('GET')).body.key).toBe(key);
  expect((await ask('PUT', { subscription: subscription(), preset: 'quiet' })).status).toBe(200);
  expect(service.waiting().map(({ signer }) => signer)).toEqual([key]);
  expect(service.waiting().map(({ body }) => JSON.parse(browser.read(body)).title)).toEqual([
    'Alerts will arrive here',
  ]);
  expect(await store.subscriptions.of(receiver)).toMatchObject([{ minSeverity: 'critical', symbols: ['*'] }]);
});

it('choosing other alerts changes the one subscription without another test post; ending leaves nothing', async () => {
  const { store, service, ask, subscription, receiver } = await openPage();
  await ask('GET');
  for (const preset of ['standard', 'everything', 'everything'])
    expect((await ask('PUT', { subscription: subscription(), preset })).status).toBe(200);
  expect(await store.subscriptions.of(receiver)).toMatchObject([{ minSeverity: 'info' }]);
  expect(service.waiting()).toHaveLength(1);
  for (let times = 0; times < 2; times += 1)
    expect((await ask('DELETE', { subscription: subscription() })).status).toBe(200);
  expect(await store.subscriptions.of(receiver)).toEqual([]);
});

it.each([
  ['that no push service of a browser is at', 'https://127.0.0.1.evil.example/x'],
  ['without TLS', 'http://127.0.0.1/x'],
  ['of a private network', 'https://192.168.1.1/x'],
  ['that is none', 'javascript:alert(1)'],
])('an address %s is refused and not stored', async (_, endpoint) => {
  const { store, ask, subscription, receiver } = await openPage();
  await ask('GET');
  expect((await ask('PUT', { subscription: subscription(endpoint), preset: 'standard' })).status).toBe(400);
  expect(await store.subscriptions.of({ ...receiver, address: { ...receiver.address, endpoint } })).toEqual(
    [],
  );
});

it('who knows the address of another browser but not its keys changes nothing there', async () => {
  const { store, ask, subscription, receiver } = await openPage();
  await ask('GET');
  await ask('PUT', { subscription: subscription(), preset: 'standard' });
  const { p256dh, auth } = createBrowser();
  const guessed = { ...subscription(), keys: { p256dh, auth } };
  expect((await ask('DELETE', { subscription: guessed })).status).toBe(200);
  expect(await store.subscriptions.of(receiver)).toHaveLength(1);
});

it('the page’s own site is named to the push service only if it has TLS', async () => {
  const { service, ask, subscription } = await openPage();
  await ask('GET');
  await ask('PUT', { subscription: subscription(), preset: 'standard' });
  expect(service.waiting().map(({ subject }) => subject)).toEqual([undefined]);
});

it('a bot without the platform offers no key', async () => {
  const console = await startConsole();
  onTestFinished(() => console.close());
  expect(await (await fetch(`${console.url}/api/push`)).json()).toEqual({ key: null });
});
