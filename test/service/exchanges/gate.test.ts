import { describe, expect, it } from 'vitest';
import { wallClock } from '#src/runtime/clock.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { type Memory, openGate } from '#src/service/exchanges/gate.ts';
import { binancePools } from '#src/service/venues/binance/client.ts';

const begin = Date.UTC(2026, 8, 5, 12);
const weight = '/fapi/v1/klines';
const data = '/futures/data/openInterestHist';
const funding = '/fapi/v1/fundingRate';

/** Opens the gate of a process with the state that the process before has stored as JSON. */
function open(kept: { json?: string }, now = { at: begin }, of = 'https://fapi.binance.com') {
  const slept: number[] = [];
  const memory: Memory = {
    storedState: kept.json === undefined ? undefined : JSON.parse(kept.json),
    store: async (state) => {
      kept.json = JSON.stringify(state);
    },
  };
  const wall = {
    now: () => now.at,
    sleep: async (ms: number) => {
      slept.push(ms);
      now.at += ms;
    },
  };
  const { signal } = new AbortController();
  const gate = openGate(of, { pools: binancePools, memory, wall, signal });
  const refusalOf = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => error as ApiError,
    );
  return {
    slept,
    ask: (path: string, cost = 1, urgent = true) =>
      refusalOf(gate.pass(`binance ${path}`, path, { cost, urgent })),
    check: (path: string, status: number, text = '', headers = {}) =>
      refusalOf(gate.check(`binance ${path}`, path, { status, text, headers })),
  };
}

const ban = (until: number) =>
  `{"code":-1003,"msg":"Way too many requests; IP(10.0.0.1) banned until ${until}. Please use the websocket for live updates to avoid bans."}`;

describe('a refusal', () => {
  it.each<[string, number, string, object, string, number]>([
    ['"banned until" of a 418 body is obeyed', 418, ban(begin + hour), {}, data, hour + second],
    ['"banned until" of a 429 body too', 429, ban(begin + hour), {}, data, hour + second],
    ['the later of it and Retry-After', 418, ban(begin + hour), { 'retry-after': '7200' }, data, 2 * hour],
    ['the longest ban', 418, '', { 'retry-after': '259200' }, data, 3 * day],
    ['a Retry-After in years is a slip', 418, '', { 'retry-after': '999999999' }, data, 3 * day],
    ['a fraction of a second is one', 418, '', { 'retry-after': '1.5' }, data, 1.5 * second],
    ['a negative Retry-After is none', 418, '', { 'retry-after': '-5' }, data, 5 * minute],
    ['a ban without an end', 418, '', {}, data, 5 * minute],
    ['an end that has passed is none', 418, ban(begin - 1), {}, data, 5 * minute],
    ['an end in years is a slip', 418, ban(begin + 1_000 * day), {}, data, 3 * day],
    ['403, the firewall', 403, '<html>', {}, data, 10 * minute],
    ['403 for too many requests', 403, '{"retMsg":"access too frequent"}', {}, data, 10 * minute],
    [
      '451, the country',
      451,
      '{"code":0,"msg":"Service unavailable from a restricted location"}',
      {},
      data,
      15 * minute,
    ],
  ])('%s: everything of that exchange pauses', async (_, status, body, headers, path, rest) => {
    const now = { at: begin };
    const { ask, check } = open({}, now);
    await check(weight, status, body, headers);
    now.at = begin + rest - 1;
    expect(await ask(path)).toMatchObject({ retryAfter: 1 });
    now.at = begin + rest;
    expect(await ask(path)).toBeUndefined();
  });

  it.each([
    [403, /firewall/],
    [451, /does not serve this country: run the data service where it does/],
    [418, /this address is banned/],
  ])('%i is explained, also to later callers', async (status, words) => {
    const { ask, check } = open({});
    expect((await check(weight, status))?.message).toMatch(words);
    const later = await ask(data);
    expect(later).toBeInstanceOf(ApiError);
    expect(later?.message).toMatch(words);
  });

  it.each([
    // Bybit (docs/v5/rate-limit), and CloudFront's two pages.
    ['{"retMsg":"access too frequent"}', 'rate_limited', /too many requests/],
    ['403, access too frequent', 'rate_limited', /too many requests/],
    [
      "<H1>403 ERROR</H1>Request blocked. We can't connect to the server for this app or website at this time. There might be too much traffic or a configuration error.",
      'unauthorized',
      /firewall/,
    ],
    ['', 'unauthorized', /firewall/],
  ])('403 is a limit only where its text says so: %s', async (text, reason, words) => {
    const { check } = open({});
    expect(await check(weight, 403, text)).toMatchObject({ reason, message: expect.stringMatching(words) });
  });

  it.each([
    ['weight', weight, [data, funding], minute],
    ['/futures/data', data, [weight, funding], 5 * minute],
    ['fundingRate', funding, [weight, data], 5 * minute],
  ])('429 in the pool of %s: only that pool pauses', async (_, path, others, rest) => {
    const now = { at: begin };
    const { ask, check } = open({}, now);
    await check(path, 429, '{"code":-1003,"msg":"Too many requests"}');
    for (const other of others) expect(await ask(other)).toBeUndefined();
    expect(await ask(path)).toMatchObject({ reason: 'rate_limited', retryAfter: rest });
  });
});

describe('a restart', () => {
  it.each([
    ['of all', 418, data],
    ['of a pool', 429, weight],
  ])('does not forget a pause %s', async (_, status, path) => {
    const kept = {};
    await open(kept).check(weight, status);
    expect(await open(kept).ask(path)).toMatchObject({ reason: 'rate_limited' });
  });

  it('is not paused by what a clock that was far ahead has noted, nor is a process that goes on', async () => {
    const kept = {};
    const now = { at: begin + 74 * 365 * day };
    const { ask, check } = open(kept, now);
    await check(weight, 418);
    now.at = begin;
    expect(await ask(weight)).toBeUndefined();
    expect(await open(kept).ask(weight)).toBeUndefined();
  });

  it('does not forget what was spent, because it is stored before the request', async () => {
    const kept = {};
    const first = open(kept);
    for (let count = 0; count < 950; count += 1) await first.ask(data);
    const second = open(kept, { at: begin + 80_000 });
    await second.ask(weight);
    expect(second.slept).toEqual([]);
    await second.ask(data);
    expect(second.slept).toEqual([220_000]);
  });

  it.each([
    ['another address or another way there', 'https://fapi.binance.com by proxy:3128', undefined],
    ['a state that is not ours', 'https://fapi.binance.com', '{"rest":7}'],
  ])('with %s starts afresh', async (_, of, json) => {
    const kept: { json?: string } = {};
    await open(kept).check(weight, 451);
    if (json !== undefined) kept.json = json;
    expect(await open(kept, { at: begin }, of).ask(weight)).toBeUndefined();
  });

  it('lets a long past use what the present leaves of 60 % of an hour, over restarts too, and never starves it', async () => {
    const [kept, now] = [{}, { at: begin }] as const;
    const asked: { at: number; isPast: boolean }[] = [];
    let { ask } = open(kept, now);
    for (let next = begin, count = 0; now.at < begin + 2 * hour; count += 1) {
      if (count % 500 === 0) ({ ask } = open(kept, now));
      await ask(data, 1, false);
      asked.push({ at: now.at, isPast: true });
      for (; next <= now.at; next += 5 * minute)
        for (let each = 0; each < 150; each += 1) {
          const before = now.at;
          await ask(data);
          expect(now.at).toBe(before);
          asked.push({ at: now.at, isPast: false });
        }
    }
    const within = (from: number, to: number) => asked.filter(({ at }) => at >= from && at < to).length;
    for (let from = begin; from <= begin + hour; from += minute)
      expect(within(from, from + hour) / 12_000).toBeLessThanOrEqual(0.6);
    expect(within(begin, begin + 25 * minute)).toBeGreaterThan(3_500);
  });

  it('works without a memory that fails', async () => {
    const { signal } = new AbortController();
    const memory: Memory = { storedState: undefined, store: () => Promise.reject(new Error('disk full')) };
    const gate = openGate('x', { pools: binancePools, memory, wall: wallClock, signal });
    await expect(gate.pass('x', data, {})).resolves.toBeUndefined();
    await expect(gate.pass('x', data, {})).resolves.toBeUndefined();
  });
});
