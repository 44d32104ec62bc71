import { expect, test } from 'vitest';
import { day, minute } from '#src/runtime/units.ts';
import { refusalOf } from '#src/service/exchanges/failure.ts';

const now = Date.UTC(2026, 0, 1);

test.each<[what: string, given: { status: number; body?: string; retryAfter?: number }, pause: number]>([
  ['too many requests, without a time', { status: 429 }, minute],
  ['too many requests, with a time', { status: 429, retryAfter: 2 * minute }, 2 * minute],
  ['a ban without a time', { status: 418 }, 5 * minute],
  ['a ban of three days, which is the longest', { status: 418, retryAfter: 3 * day }, 3 * day],
  ['a ban of longer, which is taken for an error', { status: 418, retryAfter: 4 * day }, 3 * day],
  ['a firewall that counts requests', { status: 403, body: 'access too frequent' }, 10 * minute],
  ['a firewall that blocks the address', { status: 403, body: 'blocked' }, 10 * minute],
  ['a country that is not served', { status: 451 }, 15 * minute],
])('%s ends after its time', (_, { status, body = '', retryAfter }, pause) => {
  const refusal = refusalOf({ status, body, retryAfter }, { now, defaultPause: minute });
  expect((refusal?.until ?? 0) - now).toBe(pause);
});
