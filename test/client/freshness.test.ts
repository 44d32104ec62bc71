import { expect, it } from 'vitest';
import { createFreshness } from '#src/client/freshness.ts';
import { contract } from '#src/contract/index.ts';
import { realTime } from '#src/runtime/clock.ts';
import { ApiError, type ApiErrorReason } from '#src/runtime/errors.ts';
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
] as const)('a service %s', async (_, events, expected) => {
  let now = 0;
  const steady = { now: () => now };
  const { track, unresponsiveFor } = createFreshness(() => realTime(steady), steady);
  for (const event of events) {
    now += minute;
    const [name, reason] = event.split(' ');
    const endpoint = { ...contract.regime, path: `/${name}` } as const;
    const answer = async () => {
      if (reason !== undefined) throw new ApiError(endpoint.path, reason as ApiErrorReason, '');
      return { answer: {}, refused: 0 };
    };
    await track(endpoint, answer).catch(() => {});
  }
  expect(unresponsiveFor()).toBe(expected);
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
