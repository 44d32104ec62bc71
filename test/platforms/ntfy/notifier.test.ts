import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import platform from '#src/platforms/ntfy/platform.ts';
import { renderNtfy } from '#src/platforms/ntfy/render.ts';
import { alertCard } from '#test/support/console.ts';
import { startNtfy } from '#test/support/ntfy.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { saidProblem } from '#test/support/said-problem.ts';

const token = 'tk_0123456789abcdefghij';
const never = new AbortController().signal;
const to = { address: { topic: 'tocsin-0123456789' }, signal: never };
const firing: Notification = {
  id: 'n-000000000001',
  version: 'v1',
  card: alertCard,
  loud: true,
  doubt: false,
};

async function setUp(given = token, path = '') {
  const ntfy = await startNtfy({ token });
  const refusals: unknown[] = [];
  let accepted = 0;
  const ports = notifierPorts({
    reportTokenRefused: (reason) => void refusals.push(reason),
    reportTokenAccepted() {
      accepted += 1;
    },
  });
  const options = platform.options.parse({ url: `${ntfy.url}${path}`, token: given });
  const connection = platform.notifier(options, ports);
  onTestFinished(async () => {
    await connection.close?.();
    await ntfy.close();
  });
  return { ntfy, options, connection, refusals, accepted: () => accepted };
}

test('an alert is one notification, which its end replaces without a sound', async () => {
  const { ntfy, connection } = await setUp();
  const reference = await connection.send(firing, to);
  const over: Card<string> = { ...alertCard, title: 'It is over', status: 'resolved' };
  expect(await connection.edit?.(reference, { notification: { ...firing, card: over }, ...to })).toBe(
    reference,
  );
  expect(ntfy.log.map(({ priority, tags }) => [priority, tags])).toEqual([
    [5, ['rotating_light']],
    [2, ['white_check_mark']],
  ]);
  expect(ntfy.standing().map(({ title }) => title)).toEqual(['It is over']);
});

test.each([
  ['is accepted', token, '', null],
  ['is not', 'tk_another0123456789abc', '', /does not accept the token/],
  ['is for no ntfy server', token, '/elsewhere', /answered 404: the URL must be that of an ntfy server/],
] as const)('a check of a token that %s says so, and posts nothing', async (...row) => {
  const [, given, path, expected] = row;
  const { ntfy, options } = await setUp(given, path);
  const problem = await saidProblem(platform, options);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
  expect(ntfy.log).toEqual([]);
});

test('a server that does not exist is reported as giving no answer', async () => {
  // The port of the "discard" service, on which nothing listens.
  const options = platform.options.parse({ url: 'http://127.0.0.1:9' });
  expect(await saidProblem(platform, options)).toMatch(/gives no answer: is the URL right/);
});

test('a post repeated in doubt is shown once', async () => {
  const { ntfy, connection } = await setUp();
  await connection.send(firing, to);
  await connection.send({ ...firing, doubt: true }, to);
  expect(ntfy.standing()).toHaveLength(1);
});

test.each([
  ['critical', true, 5],
  ['warning', true, 4],
  ['info', true, 3],
  ['critical', false, 2],
] as const)('a post of severity %s, loud %s, has the priority %i', async (severity, loud, priority) => {
  const { ntfy, connection } = await setUp();
  await connection.send({ ...firing, loud, card: { ...alertCard, severity } }, to);
  expect(ntfy.log[0]?.priority).toBe(priority);
});

test('a refused token is reported, and waiting posts are held', async () => {
  const { connection, refusals, accepted } = await setUp('tk_another');
  await expect(connection.send(firing, to)).rejects.toMatchObject({ outcome: { kind: 'rate_limited' } });
  expect([refusals.length, accepted()]).toEqual([1, 0]);
});

test('an accepted token is reported, because the server may have refused it before', async () => {
  const { connection, refusals, accepted } = await setUp();
  await connection.send(firing, to);
  expect([refusals.length, accepted()]).toEqual([0, 1]);
});

test('a topic that belongs to others is tried again, and is not blamed on the token', async () => {
  const { connection, refusals } = await setUp();
  const address = { topic: 'reserved-by-others' };
  await expect(connection.send(firing, { ...to, address })).rejects.toMatchObject({
    outcome: { kind: 'missing' },
  });
  expect(refusals).toEqual([]);
});

test('any card’s text fits, is not cut within a character and contains no control character', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 3_000 });
  const card = fc.record({
    title: text,
    summary: text,
    table: fc.record({ columns: fc.constant(['a']), rows: fc.array(fc.tuple(text), { maxLength: 4 }) }),
  });
  fc.assert(
    fc.property(card, (each) => {
      const { title, message } = renderNtfy(each);
      expect(Buffer.byteLength(title)).toBeLessThanOrEqual(250);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4_096);
      expect(`${title}${message}`.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
      expect(`${title}${message}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['ntfy:a-topic', { topic: 'a-topic' }],
  ['ntfy:', undefined],
  ['ntfy:a/b', undefined],
  ['https://ntfy.sh/a-topic', undefined],
])('an operator’s input is read, or refused if it is invalid: %s', (text, address) => {
  expect(platform.addressFormat.read(text)).toEqual(address);
});
