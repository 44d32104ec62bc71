import { describe, expect, test } from 'vitest';
import { marketClock, realTime } from '#src/runtime/clock.ts';
import { Secret } from '#src/runtime/secret.ts';
import { clientOf, json, memoryLog, regime, serve, testWall, token } from './service.ts';

const minute = 60_000;
const momentum = (symbol: string) => ({
  symbol,
  data: [],
  dataPoints: 0,
  avgRatePct: 0,
  maxAcceleration: 0,
  signal: 'STABLE',
});
const person = (name: string) => ({ chat: `chat of ${name}`, person: name });
const coins = (count: number) => Array.from({ length: count }, (_, index) => ({ symbol: `C${index}USDT` }));

describe('the budget', () => {
  test('keeps a reserve for questions, then refuses them too, and says when to try again', async () => {
    const { baseUrl, asked } = await serve(json(momentum('X')));
    const wall = testWall();
    const client = clientOf(baseUrl, { wall, budget: { limit: 5, reserve: 2 } });
    const { polls, budget } = client;
    const [a, b, c, d, e, f] = coins(6);
    for (const query of [a, b, c]) await polls.oiMomentum(query);
    wall.advance(minute);
    await expect(polls.oiMomentum(d)).rejects.toMatchObject({
      reason: 'rate_limited',
      retryAfter: 14 * minute,
    });
    await client.questions(person('ada')).oiMomentum(d);
    await client.questions(person('bob')).oiMomentum(e);
    await expect(client.questions(person('eve')).oiMomentum(f)).rejects.toMatchObject({
      reason: 'rate_limited',
      retryAfter: 15 * minute,
    });
    expect(asked).toHaveLength(5);
    expect(budget()).toEqual({ used: 5, limit: 5, reserved: 2, window: 15 * minute });
  });

  test('lets one chat have two thirds of the reserve, however many of its people ask', async () => {
    const { baseUrl } = await serve(json(momentum('X')));
    const { questions } = clientOf(baseUrl, { budget: { limit: 9, reserve: 9 } });
    const asked = [];
    for (const [index, query] of coins(9).entries())
      asked.push(
        await questions({ chat: 'one', person: `person ${index}` })
          .oiMomentum(query)
          .then(
            () => 'answered',
            ({ reason }) => reason,
          ),
      );
    expect(asked).toEqual([...Array(6).fill('answered'), ...Array(3).fill('share_spent')]);
    await questions(person('eve')).oiMomentum({ symbol: 'EVEUSDT' });
  });

  test('is never exceeded in any window of its length', async () => {
    const log = memoryLog();
    const { baseUrl } = await serve(json(momentum('X')));
    const wall = testWall();
    const { polls } = clientOf(baseUrl, { wall, budget: { limit: 6, reserve: 0, log } });
    for (const query of coins(40)) {
      await polls.oiMomentum(query).catch(() => {});
      wall.advance(1.3 * minute);
    }
    const times = log.records.map(({ at }) => at);
    for (const to of times)
      expect(times.filter((at) => at > to - 15 * minute && at <= to).length).toBeLessThanOrEqual(6);
  });

  test('is remembered across restarts by base URL and credential, and never stores the token', async () => {
    const log = memoryLog();
    const { baseUrl } = await serve(json(regime));
    const wall = testWall();
    const given = { wall, budget: { limit: 1, reserve: 0, log } };
    await clientOf(baseUrl, given).polls.regime();
    await expect(clientOf(baseUrl, given).polls.regime()).rejects.toMatchObject({ reason: 'rate_limited' });
    await clientOf(baseUrl, { ...given, apiKey: new Secret('another') }).polls.regime();
    await clientOf(`${baseUrl}/`, { ...given, apiKey: new Secret('a third') }).polls.regime();
    expect(new Set(log.records.map(({ key }) => key)).size).toBe(3);
    expect(JSON.stringify(log.records)).not.toContain(token);
  });

  test('counts a request before it is sent, including retries', async () => {
    const log = memoryLog();
    const atRequest: number[] = [];
    const { baseUrl } = await serve((request, response) => {
      atRequest.push(log.records.length);
      json({ error: 'busy' }, 500)(request, response);
    });
    await expect(clientOf(baseUrl, { budget: { log } }).polls.regime()).rejects.toMatchObject({
      reason: 'server_error',
    });
    expect(atRequest).toEqual([1, 2, 3]);
  });

  test('sends no request that could not be recorded', async () => {
    const { baseUrl, asked } = await serve(json(regime));
    const log = { ...memoryLog(), take: () => Promise.reject(new Error('disk full')) };
    await expect(clientOf(baseUrl, { budget: { log } }).polls.regime()).rejects.toMatchObject({
      reason: 'unreachable',
    });
    expect(asked).toEqual([]);
  });

  test('uses market time: at 240 × a window of 15 min has passed in 3.75 s', async () => {
    const { baseUrl } = await serve(json(momentum('X')));
    const wall = testWall();
    const market = marketClock(wall, { market: 0, wall: wall.now(), speed: 240 });
    const { polls } = clientOf(baseUrl, {
      wall,
      market: () => market,
      timeouts: { attempt: 9_999, patience: 0 },
      budget: { limit: 1, reserve: 0 },
    });
    const [a, b] = coins(2);
    await polls.oiMomentum(a);
    await expect(polls.oiMomentum(b)).rejects.toMatchObject({ retryAfter: 3_750 });
    wall.advance(3_750);
    await polls.oiMomentum(b);
  });

  test('counts wall time where the limit is that of a hosted service, however fast its market runs', async () => {
    const { baseUrl, asked } = await serve(json(momentum('X')));
    const wall = testWall();
    const market = marketClock(wall, { market: wall.now(), wall: wall.now(), speed: 60 });
    const log = memoryLog();
    const start = () =>
      clientOf(baseUrl, {
        wall,
        market: () => market,
        timeouts: { attempt: 9_999, patience: 0 },
        budget: { limit: 3, reserve: 0, log, clock: realTime(wall) },
      });
    const { polls } = start();
    for (const query of coins(3)) await polls.oiMomentum(query);
    wall.advance(2 * minute);
    const [, , , d] = coins(4);
    await expect(polls.oiMomentum(d)).rejects.toMatchObject({ retryAfter: 13 * minute });
    await expect(start().polls.oiMomentum(d)).rejects.toMatchObject({ retryAfter: 13 * minute });
    wall.advance(13 * minute);
    await polls.oiMomentum(d);
    expect(asked).toHaveLength(4);
  });

  test('is not used by requests to a service that cannot be reached', async () => {
    const log = memoryLog();
    const { polls, budget } = clientOf('http://127.0.0.1:1/api/v1', {
      budget: { limit: 1, reserve: 0, log },
    });
    for (let n = 0; n < 3; n += 1)
      await expect(polls.regime()).rejects.toMatchObject({ reason: 'unreachable' });
    expect(log.records).toEqual([]);
    expect(budget().used).toBe(0);
  });

  test('is not used by requests to a service that says it is not ready, but by those to one that fails', async () => {
    const used = async (headers: Record<string, string>) => {
      const { baseUrl, asked } = await serve(json({ error: 'Loading' }, 503, headers));
      const { questions, budget } = clientOf(baseUrl, { wall: testWall() });
      await expect(questions(person('ada')).oiMomentum({ symbol: 'AUSDT' })).rejects.toThrow();
      return [asked.length, budget().used];
    };
    expect(await used({ 'retry-after': '2' })).toEqual([3, 0]);
    expect(await used({})).toEqual([3, 3]);
  });

  test('answers a question with the last known response when it is used up, but not a poll', async () => {
    const { baseUrl, asked } = await serve(json(regime));
    const wall = testWall();
    const { polls, questions } = clientOf(baseUrl, { wall, budget: { limit: 2, reserve: 1 } });
    await expect(questions(person('eve')).oiMomentum({ symbol: 'BTCUSDT' })).rejects.toThrow('symbol');
    await polls.regime();
    wall.advance(6 * minute);
    expect(await questions(person('ada')).regime()).toEqual(regime);
    await expect(polls.regime()).rejects.toMatchObject({ reason: 'rate_limited' });
    expect(asked).toHaveLength(2);
  });

  test('is not blocked for ever by times recorded with another market clock', async () => {
    const log = memoryLog();
    const { baseUrl } = await serve(json(momentum('X')));
    const wall = testWall();
    let market = realTime(wall);
    const { polls } = clientOf(baseUrl, {
      wall,
      market: () => market,
      budget: { limit: 1, reserve: 0, log },
    });
    const [a, b] = coins(2);
    await polls.oiMomentum(a);
    market = marketClock(wall, { market: 0, wall: wall.now(), speed: 1 });
    await polls.oiMomentum(b);
  });
});
