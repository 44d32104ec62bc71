import { describe, expect, it } from 'vitest';
import { leaveOutAhead } from '#src/client/data-time.ts';
import { trackMeta } from '#src/client/meta.ts';
import { marketClock } from '#src/runtime/clock.ts';
import { day, hour, iso, minute, second } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';
import { clientOf, json, serve, testWall } from './service.ts';

const ahead = [61 * second, hour, day, 74 * 365 * day];

/** A client of a service that answers as told. */
async function fixture(answer: () => unknown, speed = 1) {
  const wall = testWall();
  const refused: [string, number][] = [];
  const service = await serve((...http) => json(answer())(...http));
  const market = marketClock(wall, { market: wall.now(), wall: wall.now(), speed });
  const client = clientOf(service.baseUrl, {
    wall,
    market: () => market,
    onRefused: (...given) => void refused.push(given),
  });
  return { wall, client, refused };
}

describe.each(ahead.map((ms) => [ms] as const))('a time that lies %i ms ahead of the clock', (ms) => {
  const [row] = answers.liquidations.data;

  it('costs its row, which is counted and said, and no other', async () => {
    const now = testWall().now();
    const rows = [
      { ...row, event_time: iso(now - minute) },
      { ...row, event_time: iso(now + ms) },
    ];
    const { client, refused } = await fixture(() => ({ data: rows }));
    expect((await client.polls.liquidations()).data).toEqual([rows[0]]);
    expect(refused).toEqual([['/liquidations', 1]]);
    expect(client.feeds()).toMatchObject([
      {
        endpoint: '/liquidations',
        dataTime: now - minute,
        problem: { reason: 'malformed', message: expect.stringContaining('1 of its rows refused') },
      },
    ]);
  });

  it('costs the part of an answer that says it', async () => {
    const now = testWall().now();
    const current = { ...answers.basis.current, timestamp: iso(now + ms) };
    const { client } = await fixture(() => ({ ...answers.basis, current }));
    const { current: kept, ...rest } = await client.polls.basis();
    expect(kept).toBeUndefined();
    expect(rest.data).toEqual(answers.basis.data);
  });

  it('costs the whole answer that is of that time', async () => {
    const now = testWall().now();
    const { client, refused } = await fixture(() => ({
      ...answers.marketOverview,
      timestamp: iso(now + ms),
    }));
    await expect(client.polls.marketOverview()).rejects.toMatchObject({
      reason: 'malformed',
      message: expect.stringContaining('ahead of this machine’s clock'),
    });
    expect(refused).toEqual([['/market/overview', 1]]);
  });
});

it('a time that a service announces may lie ahead', () => {
  const now = testWall().now();
  const announced = { data: [{ timestamp: iso(now), effective: iso(now + 3 * day) }] };
  expect(leaveOutAhead(announced, now)).toEqual({ answer: announced, refused: 0 });
});

it('an hour that still runs is not told as one that is over, and is no fault', async () => {
  const now = testWall().now();
  const [candle, row] = [answers.intelligence.candles24h[0], answers.volumeCvd.data[0]];
  const of = (name: string) => [2, 1, 0].map((n) => ({ ...candle, ...row, [name]: iso(now - n * hour) }));
  const { client, refused } = await fixture(() => ({
    ...{ ...answers.intelligence, ...answers.volumeCvd },
    ...{ candles24h: of('open_time'), data: of('timestamp') },
  }));
  expect((await client.polls.intelligence()).candles24h).toHaveLength(2);
  expect((await client.polls.volumeCvd()).data).toHaveLength(2);
  expect(refused).toEqual([]);
});

it('a time within a minute of the clock is believed', async () => {
  const now = testWall().now();
  const [row] = answers.liquidations.data;
  const { client, refused } = await fixture(() => ({
    data: [{ ...row, event_time: iso(now + 59 * second) }],
  }));
  expect((await client.polls.liquidations()).data).toHaveLength(1);
  expect(refused).toEqual([]);
});

it('rows of a market that runs 240 × are believed as long as its clock explains them', async () => {
  const [row] = answers.liquidations.data;
  const now = testWall().now();
  const at = (ms: number) => ({ ...row, event_time: iso(now + ms) });
  const { client } = await fixture(() => ({ data: [at(19 * minute), at(hour)] }), 240);
  expect((await client.polls.liquidations()).data).toEqual([at(19 * minute)]);
});

describe('while a service says that it is another market', () => {
  const live = { market: 'live', live: true, time: 0, speed: 1, wall: 0 };
  async function bot() {
    const wall = testWall();
    let source = 'live';
    const service = await serve((request, response) => {
      const isMeta = request.url?.includes('/meta') === true;
      json(isMeta ? { ...answers.meta, source, speed: 1 } : answers.regime)(request, response);
    });
    const client = clientOf(service.baseUrl, { wall, doubt: () => meta.doubt() });
    const meta = trackMeta(client.polls, { wall, hosted: true, believed: live });
    return {
      wall,
      client,
      meta,
      say(next: string) {
        source = next;
      },
      asked: service.asked,
    };
  }

  it('nothing that it says is believed, it is not even asked, and all goes on when it is back', async () => {
    const { wall, client, meta, say, asked } = await bot();
    await meta.refresh();
    await client.polls.regime();
    say('simulated');
    wall.advance(10 * minute);
    await expect(meta.refresh()).rejects.toThrow(/says that its market is the simulated one/);
    const before = asked.length;
    await expect(client.polls.regime()).rejects.toMatchObject({ reason: 'malformed' });
    expect(asked).toHaveLength(before);
    expect(meta.last()?.source).toBe('live');
    expect(meta.market().now()).toBe(wall.now());
    say('live');
    wall.advance(minute);
    await meta.refresh();
    await expect(client.polls.regime()).resolves.toMatchObject({ regime: answers.regime.regime });
  });

  it('a start on the database of a live market does not believe it either', async () => {
    const { meta, say } = await bot();
    say('simulated');
    await expect(meta.refresh()).rejects.toMatchObject({ name: 'ApiError' });
    expect(meta.believed()).toEqual(live);
  });
});

it('the market time of a live service that says 2100 is that of this machine', async () => {
  const wall = testWall();
  const service = await serve(
    json({ ...answers.meta, source: 'live', marketTime: '2100-01-01T00:00:00.000Z', speed: 1 }),
  );
  const { polls } = clientOf(service.baseUrl, { wall });
  const meta = trackMeta(polls, { wall });
  await meta.refresh();
  expect(meta.market().now()).toBe(wall.now());
  expect(meta.believed()).toMatchObject({ market: 'live', time: wall.now() });
});

describe('a market that runs at its own speed only once its past is loaded', () => {
  /** What is answered and asked some wall time after that began, by what a service said before and says on being asked again. */
  async function told({ after, hosted, live = false }: { after: number; hosted: boolean; live?: boolean }) {
    const wall = testWall();
    // Within the same second of market time an answer is usually taken again.
    wall.advance(second / 5);
    const begun = wall.now();
    const now = () => begun + 240 * (wall.now() - begun);
    const service = await serve((request, response) => {
      const isReady = wall.now() > begun;
      const meta = { ...answers.meta, marketTime: iso(now()), ready: isReady, speed: isReady ? 240 : 1 };
      const said = live ? { ...meta, source: 'live', speed: 1 } : meta;
      const overview = { ...answers.marketOverview, timestamp: iso(now()) };
      json(request.url?.includes('/meta') ? said : overview)(request, response);
    });
    const client = clientOf(service.baseUrl, {
      wall,
      market: () => meta.market(),
      renewTime: () => meta.renew(),
    });
    const meta = trackMeta(client.polls, { wall, hosted });
    await meta.refresh();
    wall.advance(after);
    const answered = await client.polls.marketOverview().then(
      ({ timestamp }) => timestamp === iso(now()),
      (error: Error) => error.message,
    );
    return { answered, asked: service.asked.filter((path) => path.includes('/meta')).length };
  }

  it.each([
    ['an embedded service, half a second after it was asked', { after: second / 2, hosted: false }],
    ['an embedded service', { after: 3 * second, hosted: false }],
    ['a hosted service', { after: 11 * second, hosted: true }],
  ])('is believed at once: the time is asked for before its data is refused, of %s', async (_, given) => {
    expect(await told(given)).toEqual({ answered: true, asked: 2 });
  });

  it.each([
    ['a hosted service that was asked a moment ago', { after: 3 * second, hosted: true }],
    ['a live market, whose time is this machine’s', { after: 3 * second, hosted: false, live: true }],
  ])('costs no question to %s', async (_, given) => {
    const { answered, asked } = await told(given);
    expect(answered).toContain('ahead of this machine’s clock');
    expect(asked).toBe(1);
  });
});
