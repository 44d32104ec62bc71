import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { iso } from '#src/runtime/units.ts';
import { answers } from '../support/data.ts';
import { clientOf, json, memoryLog, regime, serve, testWall } from './service.ts';

const minute = 60_000;

const ada = { chat: 'hers', person: 'ada' };

describe('cache', () => {
  test('keeps a response until the next cadence boundary plus a lag for the service to collect', async () => {
    const { baseUrl, asked } = await serve(json(regime));
    const wall = testWall();
    const { polls, questions } = clientOf(baseUrl, { wall });
    wall.advance(minute);
    await polls.regime();
    wall.advance(4 * minute + 14_000);
    await questions(ada).regime();
    expect(asked).toHaveLength(1);
    wall.advance(1_000);
    await polls.regime();
    expect(asked).toHaveLength(2);
  });

  test('keeps the last 400 responses', async () => {
    const { baseUrl, asked } = await serve(json({ symbol: 'BTCUSDT', data: [] }));
    const { polls } = clientOf(baseUrl, { budget: { limit: 1_000 } });
    const ask = (n: number) => polls.oi({ symbol: `C${n}USDT` });
    for (let n = 0; n <= 400; n += 1) await ask(n);
    await ask(1);
    expect(asked).toHaveLength(401);
    await ask(0);
    expect(asked).toHaveLength(402);
  });

  test('treats equivalent queries as the same request', async () => {
    const { baseUrl, asked } = await serve(json({ symbol: 'BTCUSDT', data: [] }));
    const { polls } = clientOf(baseUrl);
    await polls.oi();
    await polls.oi({ limit: '100', symbol: ' btcusdt' });
    expect(asked).toEqual(['/api/v1/oi?limit=100&symbol=BTCUSDT']);
  });

  test('encodes a market with a non-ASCII name in the URL', async () => {
    const { baseUrl, asked } = await serve(json({ symbol: '牛来USDT', data: [] }));
    const { polls } = clientOf(baseUrl);
    await polls.oi({ symbol: '牛来USDT' });
    expect(new URL(asked[0] ?? '', baseUrl).searchParams.get('symbol')).toBe('牛来USDT');
    expect(asked[0]).toMatch(/^[\x21-\x7e]+$/);
  });

  test('does not keep a failure', async () => {
    let broken = true;
    const { baseUrl } = await serve((...exchange) => json(broken ? '{' : regime)(...exchange));
    const { polls } = clientOf(baseUrl);
    await expect(polls.regime()).rejects.toMatchObject({ reason: 'malformed' });
    broken = false;
    expect(await polls.regime()).toEqual(regime);
  });
});

describe('shared requests', () => {
  const held = async () => {
    const responses: ServerResponse[] = [];
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const service = await serve((_request, response) => {
      responses.push(response);
      response.on('close', closed.resolve);
      arrived.resolve();
    });
    const answer = () => {
      for (const response of responses)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(regime));
    };
    return { ...service, arrived: arrived.promise, closed: closed.promise, answer };
  };

  test('ten simultaneous callers share one request, and one who leaves does not end it for the others', async () => {
    const { baseUrl, asked, arrived, answer } = await held();
    const { polls, questions } = clientOf(baseUrl);
    const impatient = new AbortController();
    const leaves = polls.regime({}, impatient.signal);
    const stay = Array.from({ length: 9 }, () => questions(ada).regime());
    await arrived;
    impatient.abort(new Error('gone'));
    await expect(leaves).rejects.toThrow('gone');
    answer();
    expect(await Promise.all(stay)).toEqual(Array.from({ length: 9 }, () => regime));
    expect(asked).toHaveLength(1);
  });

  test('the request is aborted when its last caller leaves', async () => {
    const { baseUrl, arrived, closed } = await held();
    const { polls } = clientOf(baseUrl);
    const controller = new AbortController();
    const asked = polls.regime({}, controller.signal);
    await arrived;
    controller.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    await closed;
  });

  test('closing the client ends requests in progress', async () => {
    const { baseUrl, arrived } = await held();
    const client = clientOf(baseUrl);
    const asked = client.polls.regime();
    await arrived;
    client.close();
    await expect(asked).rejects.toThrow('closed');
  });
});

test('at most 16 requests are under way at once', async () => {
  const held = Promise.withResolvers<void>();
  let [open, most] = [0, 0];
  const { baseUrl } = await serve(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    await held.promise;
    open -= 1;
    json({ symbol: 'X', data: [] })(request, response);
  });
  const { polls } = clientOf(baseUrl);
  const answers = Array.from({ length: 40 }, (_, index) => polls.oi({ symbol: `C${index}USDT` }));
  await vi.waitUntil(() => open === 16);
  held.resolve();
  await Promise.all(answers);
  expect(most).toBe(16);
});

describe('retry', () => {
  test('backs off exponentially with full jitter until it succeeds', async () => {
    let left = 2;
    const { baseUrl, asked } = await serve((...exchange) =>
      left-- > 0 ? json({ error: 'busy' }, 502)(...exchange) : json(regime)(...exchange),
    );
    const wall = testWall();
    expect(await clientOf(baseUrl, { wall }).polls.regime()).toEqual(regime);
    expect(wall.slept).toEqual([250, 500]);
    expect(asked).toHaveLength(3);
  });

  test.each([400, 401, 404, 501, 302])('does not happen after %i', async (status) => {
    const { baseUrl, asked } = await serve(json({ error: 'no' }, status));
    await expect(clientOf(baseUrl).polls.regime()).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });

  test.each<[string, (now: number) => string, number]>([
    ['seconds', () => '7', 7_000],
    ['a date', (now) => new Date(now + 9_000).toUTCString(), 9_000],
  ])('waits for a short Retry-After in %s', async (_form, retryAfter, wait) => {
    const wall = testWall();
    let limited = true;
    const { baseUrl } = await serve((...exchange) => {
      const answer = limited ? json({}, 429, { 'retry-after': retryAfter(wall.now()) }) : json(regime);
      limited = false;
      answer(...exchange);
    });
    expect(await clientOf(baseUrl, { wall }).polls.regime()).toEqual(regime);
    expect(wall.slept).toEqual([wait]);
  });

  test.each([429, 503])(
    'after %i without Retry-After pauses all callers together, longer each time',
    async (status) => {
      const wall = testWall();
      const { baseUrl, asked } = await serve((request, response) =>
        (request.url?.includes('regime') ? json({}, status) : json({ data: [] }))(request, response),
      );
      const { polls, questions } = clientOf(baseUrl, { wall });
      await expect(polls.regime()).rejects.toThrow();
      const [before, slept] = [asked.length, wall.slept.reduce((sum, each) => sum + each, 0)];
      expect([before, slept]).toEqual([3, 1_000 + 2_000]);
      await questions(ada)
        .oi()
        .catch(() => {});
      expect(wall.slept.at(-1)).toBe(4_000);
    },
  );

  test.each([
    ['short', 7, [7_000, 7_000]],
    ['long', 60, []],
  ] as const)(
    'a %s Retry-After with 502 is about one question and pauses no others',
    async (_, seconds, slept) => {
      const wall = testWall();
      const { baseUrl } = await serve((request, response) =>
        (request.url?.includes('oi')
          ? json({ error: 'OKX does not answer' }, 502, { 'retry-after': String(seconds) })
          : json(regime))(request, response),
      );
      const { polls, questions } = clientOf(baseUrl, { wall });
      await expect(questions(ada).oi({ venue: 'okx' })).rejects.toMatchObject({
        reason: 'server_error',
        retryAfter: seconds * 1_000,
      });
      expect(await polls.regime()).toEqual(regime);
      expect(wall.slept).toEqual(slept);
    },
  );

  test('does not wait for a long Retry-After: it is an error, and nothing is sent until then', async () => {
    const wall = testWall();
    let limited = true;
    const { baseUrl, asked } = await serve((...exchange) =>
      limited ? json({}, 429, { 'retry-after': '600' })(...exchange) : json(regime)(...exchange),
    );
    const { polls, questions } = clientOf(baseUrl, { wall });
    await expect(polls.regime()).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 600_000 });
    wall.advance(100_000);
    await expect(questions(ada).oi()).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 500_000 });
    expect(asked).toHaveLength(1);
    limited = false;
    wall.advance(500_000);
    expect(await polls.regime()).toEqual(regime);
  });
});

test('a request that waits while another one is refused is not sent into the pause, and does not count', async () => {
  const wall = testWall();
  const recording = Promise.withResolvers<void>();
  const records = memoryLog();
  const take: typeof records.take = async (key, request) => {
    if (!key.endsWith('questions')) await recording.promise;
    return records.take(key, request);
  };
  const { baseUrl, asked } = await serve(json({}, 429, { 'retry-after': '600' }));
  const { polls, questions, budget } = clientOf(baseUrl, { wall, budget: { log: { ...records, take } } });
  const waiting = polls.oi();
  await expect(questions(ada).regime()).rejects.toMatchObject({ reason: 'rate_limited' });
  recording.resolve();
  await expect(waiting).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 600_000 });
  expect(asked).toEqual(['/api/v1/regime']);
  expect(budget().used).toBe(1);
});

describe('funding extremes', () => {
  test('are requested with a limit of 30 from then on if the service accepts no more', async () => {
    const { baseUrl, asked } = await serve((request, response) => {
      const limit = Number(new URL(request.url ?? '', 'http://x').searchParams.get('limit'));
      const answer =
        limit > 30 ? json({ error: 'limit' }, 400) : json({ data: [], count: 0, threshold: '|z| > 1.5' });
      answer(request, response);
    });
    const wall = testWall();
    const { polls } = clientOf(baseUrl, { wall });
    for (let time = 0; time < 2; time += 1) {
      expect(await polls.fundingExtremes({ limit: 100 })).toMatchObject({ count: 0 });
      wall.advance(10 * minute);
    }
    expect(asked.map((path) => path.split('limit=')[1])).toEqual(['100', '30', '30']);
  });
});

test('feeds say when each endpoint last responded, the time of its data, and what has failed since', async () => {
  let broken = false;
  const time = Date.UTC(2025, 11, 31, 16);
  const overview = { coins: [], regime: 'MARKUP', timestamp: iso(time) };
  const { baseUrl } = await serve((...exchange) => json(broken ? {} : overview)(...exchange));
  const wall = testWall();
  const client = clientOf(baseUrl, { wall });
  expect(client.feeds()).toEqual([]);
  await client.polls.marketOverview();
  const fine = { endpoint: '/market/overview', lastSuccess: wall.now(), dataTime: time };
  expect(client.feeds()).toEqual([fine]);
  broken = true;
  wall.advance(10 * minute);
  await expect(client.polls.marketOverview()).rejects.toThrow();
  expect(client.feeds()).toMatchObject([{ ...fine, problem: { at: wall.now(), reason: 'malformed' } }]);
});

describe('extensions', () => {
  const metaOf = (extensions: string[]) => ({ ...answers.meta, extensions });
  const service = (extensions: string[] | undefined) =>
    serve((request, response) => {
      const path = request.url ?? '';
      if (path.includes('/meta'))
        return extensions === undefined
          ? json({ error: 'Unknown path' }, 404)(request, response)
          : json(metaOf(extensions))(request, response);
      return json(answers.candles)(request, response);
    });
  const paths = (asked: string[]) => asked.map((url) => url.replace('/api/v1', '').split('?')[0]);

  test('are requested if /meta lists them, which is requested once', async () => {
    const { baseUrl, asked } = await service(['meta', 'candles']);
    const { polls } = clientOf(baseUrl);
    expect(await polls.candles()).toEqual(answers.candles);
    await polls.candles({ symbol: 'ETHUSDT' });
    expect(paths(asked)).toEqual(['/meta', '/candles', '/candles']);
  });

  test.each([
    ['does not list it', ['meta']],
    ['has no /meta', undefined],
  ])('are not requested from a service that %s: not_offered', async (_, extensions) => {
    const { baseUrl, asked } = await service(extensions);
    const { polls } = clientOf(baseUrl);
    for (let turn = 0; turn < 2; turn += 1)
      await expect(polls.candles()).rejects.toMatchObject({ reason: 'not_offered' });
    expect(paths(asked)).toEqual(['/meta']);
  });

  test('are not considered missing because a request has failed', async () => {
    let broken = true;
    const { baseUrl } = await serve((...exchange) => {
      if (broken) return json('{', 200)(...exchange);
      const body = exchange[0].url?.includes('/meta') ? metaOf(['candles']) : answers.candles;
      return json(body)(...exchange);
    });
    const { polls } = clientOf(baseUrl);
    await expect(polls.candles()).rejects.toMatchObject({ endpoint: '/meta', reason: 'malformed' });
    broken = false;
    expect(await polls.candles()).toEqual(answers.candles);
  });
});

test('a response for another venue than requested is an error, and does not affect the feed', async () => {
  const { baseUrl } = await serve((request, response) => {
    const okx = request.url?.includes('hours=7') ? { venue: 'okx', title: 'OKX' } : {};
    return json({ ...okx, ...answers.oiMomentum })(request, response);
  });
  const client = clientOf(baseUrl);
  expect(await client.polls.oiMomentum({ venue: 'okx', hours: 7 })).toMatchObject({ venue: 'okx' });
  await expect(client.polls.oiMomentum({ venue: 'okx' })).rejects.toMatchObject({ reason: 'not_offered' });
  expect(client.feeds()).toEqual([]);
  expect(await client.polls.oiMomentum()).toEqual(answers.oiMomentum);
  expect(client.feeds()).toHaveLength(1);
});
