import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createAnswering } from '#src/app/answer-commands.ts';
import type { Platform } from '#src/platforms/platform.ts';
import webhook from '#src/platforms/webhook/platform.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { viewerRights } from '#src/shell/rights.ts';
import { addresses } from '#test/support/addresses.ts';
import { caller, commandContext } from '#test/support/commands.ts';
import { noConnecting } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { clientOf, json, serve } from '../client/service.ts';
import { receiver } from '../platforms/receiver.ts';

const operator = { ...caller, person: 'telegram:1' };

async function setUp(platforms: readonly Platform[] = [webhook]) {
  const { baseUrl } = await serve(json({}));
  const hook = await receiver();
  onTestFinished(() => hook.close());
  const options = webhook.options.parse({ secret: 'signing-key-0123456789', allow: ['127.0.0.1'] });
  const connection = webhook.notifier(options, notifierPorts());
  onTestFinished(async () => connection.close?.());
  const pace = createPace({}, wallClock);
  const { preview, records, settings, source, status, store, commands, kinds } = commandContext();
  const { ask } = createAnswering({
    ...{ preview, records, settings, source, status, store, commands, kinds, addresses, platforms },
    client: clientOf(baseUrl),
    connecting: () => noConnecting,
    operators: () => ['telegram:1'],
    outlets: [{ name: 'webhook', connection, concurrency: 1, pace, readByPrograms: true }],
    universe: () => ['BTCUSDT', 'ETHUSDT'],
    listed: () => ['BTCUSDT', 'ETHUSDT'],
    marketKinds: () => ({}),
    wall: wallClock,
    now: wallClock.now,
    log: pino({ level: 'silent' }),
  });
  const place = { notifier: 'webhook', address: { url: hook.url } };
  return { ask, store, hook, place };
}

test('a command can be run for a place where nobody can type, with any arguments', async () => {
  const { ask, store, hook, place } = await setUp();
  const answer = await ask(
    `at ${hook.url} subscribe funding-extreme symbols="btc eth" severity=warning`,
    operator,
  );
  expect(answer).toMatchObject({ title: `webhook http://127.0.0.1:${hook.port}/…: Subscribed` });
  expect(await store.subscriptions.of(place)).toMatchObject([
    { receiver: place, kinds: ['funding-extreme'], symbols: ['BTCUSDT', 'ETHUSDT'], minSeverity: 'warning' },
  ]);
  expect(await store.subscriptions.of(caller.receiver)).toEqual([]);
  expect(hook.arrivals.map(({ body }) => JSON.parse(body).card.title)).toEqual(['Alerts will arrive here']);
});

test('the answer has no buttons, because they would act on the place where it is read', async () => {
  const { ask, hook } = await setUp();
  await ask(`at ${hook.url} subscribe funding-extreme`, operator);
  const { actions, ...card } = await ask(`at ${hook.url} subscriptions`, operator);
  expect(actions).toBeUndefined();
  expect(JSON.stringify(card)).toContain('Extreme funding');
  expect((await ask('subscriptions', operator)).summary).not.toContain('Extreme funding');
});

test.each([
  [
    'whoever is no operator',
    [webhook],
    { ...caller, person: 'telegram:2' },
    'https://example.com/x',
    /Only the operator/,
  ],
  [
    'what is no address',
    [webhook],
    operator,
    'ftp://example.com',
    /give one like https:\/\/example\.com\/hook/,
  ],
  [
    'an address of a platform that is not set up',
    [webhook],
    operator,
    'slack:C0123456789',
    /give one like https:\/\/example\.com\/hook\. Is its platform set up\?/,
  ],
  ['a private address', [webhook], operator, 'http://10.1.2.3/x', /private, loopback or link-local/],
  [
    'every address where no such platform is set up',
    [],
    operator,
    'https://example.com/x',
    /No platform of that sort/,
  ],
] as const)('the command is refused for %s', async (_, platforms, asker, place, reason) => {
  const { ask, store } = await setUp(platforms);
  const { title, summary } = await ask(`at ${place} subscribe funding-extreme`, asker);
  expect(`${title} ${summary}`).toMatch(reason);
  expect(await store.subscriptions.of({ notifier: 'webhook', address: { url: place } })).toEqual([]);
});

test('an operator who asks with the rights of one who only looks operates nothing', async () => {
  const { ask, store } = await setUp();
  expect((await ask('pause', { ...operator, rights: viewerRights })).title).toBe('Can’t do that');
  expect(await store.sending.paused()).toBeNull();
});
