import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import platform from '#src/platforms/apprise/platform.ts';
import { renderApprise } from '#src/platforms/apprise/render.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import { startApprise } from '#test/support/apprise.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { saidProblem } from '#test/support/said-problem.ts';

const login = { user: 'tocsin', password: 'correct-horse-battery' };
const never = new AbortController().signal;
const to = { address: { key: 'traders' }, signal: never };
const firing: Notification = {
  id: 'n-000000000001',
  version: 'v1',
  card: alertCard,
  loud: true,
  doubt: false,
};
const over: Card<string> = { ...alertCard, summary: 'It went back.', status: 'resolved' };

async function setUp({ path = '', password = login.password, readOnly = false } = {}) {
  const apprise = await startApprise({ ...login, services: { traders: ['phones', 'desk'] }, readOnly });
  const refusals: unknown[] = [];
  let accepted = 0;
  const ports = notifierPorts({
    reportTokenRefused: (reason) => void refusals.push(reason),
    reportTokenAccepted() {
      accepted += 1;
    },
  });
  const options = platform.options.parse({ ...login, password, url: `${apprise.url}${path}` });
  const connection = platform.notifier(options, ports);
  onTestFinished(async () => {
    await connection.close?.();
    await apprise.close();
  });
  const edit = (reference: string, card: Card<string>, more: Partial<Notification> = {}) =>
    connection.edit?.(reference, { notification: { ...firing, card, ...more }, ...to });
  return { apprise, options, connection, refusals, accepted: () => accepted, edit };
}

test('an alert is posted when it begins, escalates and ends, and not for changes in between', async () => {
  const { apprise, connection, edit } = await setUp();
  const reference = await connection.send(firing, to);
  expect(await edit(reference, { ...alertCard, title: 'A little milder' })).toBe(reference);
  await connection.send({ ...firing, id: 'n-000000000002', replyTo: reference }, to);
  expect(await edit(reference, over, { onlyEdit: true })).toBe(reference);
  const ended = (await edit(reference, over, { version: 'v3' })) ?? '';
  expect(await edit(ended, over, { version: 'v4' })).toBe(ended);
  expect(apprise.told.map(({ type, id }) => [type, id])).toEqual([
    ['failure', 'n-000000000001'],
    ['failure', 'n-000000000002'],
    ['success', 'n-000000000001-v3'],
  ]);
});

test('an end is short: how it ended, without the figures from its beginning', async () => {
  const { summary = '', facts = [] } = alertCard;
  expect(facts).not.toEqual([]);
  const [begun, ended] = [renderApprise(alertCard), renderApprise(over)];
  for (const { name } of facts) expect(begun.body).toContain(`${name}: `);
  for (const { name } of facts) expect(ended.body).not.toContain(`${name}: `);
  expect(begun.body).toContain(summary.split('\n')[0]);
  expect(ended.body).toMatch(/^It went back\.\n/);
});

test.each([
  ['critical', 'failure'],
  ['warning', 'warning'],
  ['info', 'info'],
] as const)('severity %s has the type %s', (severity, type) => {
  expect(renderApprise({ ...alertCard, severity })).toMatchObject({ type, format: 'text' });
});

test('a tag selects services of the key; a slash at the end of the URL is ignored', async () => {
  const { apprise, connection } = await setUp({ path: '/' });
  await connection.send(firing, { ...to, address: { key: 'traders', tag: 'phones' } });
  expect(apprise.told).toMatchObject([{ key: 'traders', tag: 'phones' }]);
});

describe('a post that did not reach every service behind the key', () => {
  const refusedAs = (kind: string) => ({ outcome: { kind } });
  test('is tried only once more, because the services that were reached get it each time', async () => {
    const { apprise, connection } = await setUp();
    apprise.broken.add('traders');
    await expect(connection.send(firing, to)).rejects.toMatchObject(refusedAs('unavailable'));
    await expect(connection.send({ ...firing, doubt: true }, to)).rejects.toMatchObject(
      refusedAs('rejected'),
    );
    apprise.broken.clear();
    await expect(connection.send({ ...firing, doubt: true }, to)).resolves.toBe(firing.id);
  });

  test('is retried as well if no service has its tag', async () => {
    const { connection } = await setUp();
    const address = { key: 'traders', tag: 'nobody' };
    await expect(connection.send(firing, { ...to, address })).rejects.toMatchObject(refusedAs('unavailable'));
  });
});

test('a refused password is reported, and waiting posts are held', async () => {
  const { connection, refusals, accepted } = await setUp({ password: 'another-password' });
  await expect(connection.send(firing, to)).rejects.toMatchObject({ outcome: { kind: 'rate_limited' } });
  expect([refusals.length, accepted()]).toEqual([1, 0]);
});

test('an accepted password is reported with each post, but not with a change that is not posted', async () => {
  const { connection, refusals, accepted, edit } = await setUp();
  const reference = await connection.send(firing, to);
  await edit(reference, { ...alertCard, title: 'A little milder' });
  expect([refusals.length, accepted()]).toEqual([0, 1]);
});

test.each([
  ['is well', {}, null],
  ['cannot write its own configuration', { readOnly: true }, null],
  ['has another password', { password: 'another-password' }, /does not accept the user or the password/],
  [
    'is another program’s',
    { path: '/elsewhere' },
    /answered 404: the URL must be that of an Apprise API server/,
  ],
] as const)('a check of a server that %s says so, and posts nothing', async (_, given, expected) => {
  const { apprise, options } = await setUp(given);
  const problem = await saidProblem(platform, options);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
  expect(apprise.told).toEqual([]);
});

test('any card’s text fits, is not cut within a character, mentions nobody and has no control character', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3_500 }),
    fc.constantFrom('@everyone', '<@123>', 'a@here', '@@all'),
  );
  const card = fc.record({
    title: text,
    summary: text,
    facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(card, (each) => {
      const { title, body } = renderApprise(each);
      expect(title).not.toBe('');
      expect(body).not.toBe('');
      expect([...title].length).toBeLessThanOrEqual(250);
      expect([...body].length).toBeLessThanOrEqual(3_000);
      expect(`${title}${body}`.isWellFormed()).toBe(true);
      expect(`${title}\n${body}`).not.toMatch(/@[\p{L}\p{N}@&!]/u);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      expect(`${title}${body}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['apprise:traders', { key: 'traders' }],
  ['apprise:traders?tag=phones,desk', { key: 'traders', tag: 'phones,desk' }],
  ['apprise:', undefined],
  ['apprise:a/b', undefined],
  ['apprise:traders?tag=', undefined],
  ['https://apprise.example.org/notify/traders', undefined],
])('an operator’s input is read, or refused if it is invalid: %s', (text, address) => {
  expect(platform.addressFormat.read(text)).toEqual(address);
});

test.each([
  'https://user:pass@apprise.example.org',
  'https://apprise.example.org/?a=1',
  'ftp://x',
  'apprise',
])('the URL %s is refused', (url) => {
  expect(platform.options.safeParse({ url }).success).toBe(false);
});
