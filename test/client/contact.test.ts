import { expect, it } from 'vitest';
import { createContact } from '#src/client/contact.ts';
import { clientOf, json, serve } from './service.ts';

const minute = 60_000;

it.each([
  ['that was never asked is not lost', [], null],
  ['that answers is not lost', ['answered', 'answered'], null],
  ['that cannot be reached is lost at once', ['answered', 'a unreachable'], minute],
  ['that never was reached is lost for ever', ['a unreachable'], Number.POSITIVE_INFINITY],
  ['with one endpoint that fails is not lost', ['answered', 'a server_error', 'a server_error'], null],
  [
    'whose endpoints fail one after the other is lost',
    ['answered', 'a server_error', 'b malformed'],
    2 * minute,
  ],
  ['that answers again is not lost', ['a unreachable', 'b unreachable', 'answered'], null],
  [
    'that is asked wrongly or too often is not lost',
    ['a invalid_request', 'b rate_limited', 'c not_offered'],
    null,
  ],
] as const)('a service %s', (_, events, expected) => {
  let now = 0;
  const contact = createContact({ now: () => now });
  for (const event of events) {
    now += minute;
    const [endpoint, reason] = event.split(' ');
    if (reason === undefined) contact.noteSuccess();
    else contact.noteFailure(String(endpoint), reason as 'unreachable');
  }
  expect(contact.unresponsiveFor()).toBe(expected);
});

it.each([
  ['fails is lost', {}, true],
  ['is starting, and says when to ask again, is not', { 'retry-after': '1' }, false],
])('a service whose every answer %s', async (_, headers: Record<string, string>, lost) => {
  const { baseUrl } = await serve(json({ error: 'Starting' }, 503, headers));
  const { polls, unresponsiveFor: since } = clientOf(baseUrl);
  await expect(polls.regime()).rejects.toThrow();
  await expect(polls.marketOverview()).rejects.toThrow();
  expect(since() !== null).toBe(lost);
});
