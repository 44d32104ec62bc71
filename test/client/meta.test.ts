import { describe, expect, it } from 'vitest';
import { trackMeta } from '#src/client/meta.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day, hour, iso, minute, second } from '#src/runtime/units.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { clientOf, json, serve, testWall } from './service.ts';

const names = ['SOLUSDT', 'BTCUSDT', 'NEWUSDT', 'ETHUSDT', 'XRPUSDT'];
const volumes: Readonly<Record<string, number>> = { BTCUSDT: 5, ETHUSDT: 40, SOLUSDT: 1, XRPUSDT: 3 };

it.each([true, false])(
  'a machine that sleeps while a hosted service answers keeps the market’s time (answered before it slept: %s)',
  async (before) => {
    const wall = testWall();
    const begun = wall.now();
    let sleep = 0;
    const timeNow = () => begun + 20 * (wall.now() - begun);
    const { baseUrl } = await serve((request, response) => {
      const times = [timeNow()];
      wall.advance(sleep);
      times.push(timeNow());
      json({
        ...answers.meta,
        marketTime: new Date(times[before ? 0 : 1] ?? 0).toISOString(),
        speed: 20,
      })(request, response);
    });
    const meta = trackMeta(clientOf(baseUrl, { wall }).polls, { wall, hosted: true });
    await meta.refresh();
    wall.advance(minute);
    sleep = hour;
    await expect(meta.refresh()).rejects.toThrow('too late');
    expect(meta.market().now()).toBe(timeNow());
    wall.advance(minute);
    sleep = 0;
    await meta.refresh();
    expect(meta.market().now()).toBe(timeNow());
    expect(meta.doubt()).toBeUndefined();
  },
);

it.each([
  [1.9, false],
  [2.1, true],
])(
  'market time is corrected by more than a network’s delay: told %s s of wall time later',
  async (late, isCorrected) => {
    const wall = testWall();
    const speed = 20;
    let ahead = 0;
    const meta = async () => ({ ...answers.meta, speed, marketTime: iso(wall.now() + ahead) });
    const tracked = trackMeta({ ...dataClient(), meta }, { wall });
    await tracked.refresh();
    const before = tracked.market().now();
    ahead = late * second * speed;
    await tracked.refresh();
    expect(tracked.market().now() - before).toBe(isCorrected ? ahead : 0);
  },
);

it('the source is loading until it can be asked, and then what the service says, or hosted if it does not', async () => {
  const wall = testWall();
  const notOffered = new ApiError('/meta', 'not_offered', 'no such path');
  const sourcesOf = async (hosted: boolean, meta: () => Promise<typeof answers.meta>) => {
    const tracked = trackMeta({ ...dataClient(), meta }, { wall, hosted });
    const before = tracked.source();
    await tracked.refresh();
    return [before, tracked.source()];
  };
  const says = async () => ({ ...answers.meta, marketTime: iso(wall.now()) });
  expect(await sourcesOf(false, says)).toEqual(['loading', answers.meta.source]);
  expect(await sourcesOf(true, says)).toEqual(['loading', answers.meta.source]);
  expect(await sourcesOf(true, () => Promise.reject(notOffered))).toEqual(['loading', 'hosted']);
});

describe('a data service that does not say which markets it tracks', () => {
  const start = async (down = () => false) => {
    const [coin] = answers.marketOverview.coins;
    const [row] = answers.volumeCvd.data;
    const service = await serve((request, response) => {
      const url = new URL(request.url ?? '/', 'http://hosted');
      const symbol = url.searchParams.get('symbol') ?? '';
      if (url.pathname.endsWith('/market/overview')) {
        const coins = names.map((name) => ({ ...coin, symbol: name, price: name === 'BTCUSDT' ? 100 : 1 }));
        json({ ...answers.marketOverview, coins })(request, response);
      } else if (url.pathname.endsWith('/volume/cvd') && down()) {
        json({ error: 'Down' }, 503)(request, response);
      } else if (url.pathname.endsWith('/volume/cvd') && symbol in volumes) {
        const data = [{ ...row, buyVolume: volumes[symbol], sellVolume: 0 }];
        json({ ...answers.volumeCvd, symbol, data })(request, response);
      } else json({ error: 'Not found' }, 404)(request, response);
    });
    const wall = testWall();
    const client = clientOf(service.baseUrl, { wall });
    return { meta: trackMeta(client.polls, { wall }), wall, asked: service.asked };
  };

  it('is assumed to track the markets of its overview, the largest volume first, requested a few at a time', async () => {
    const { meta, wall, asked } = await start();
    expect(meta.symbols()).toEqual([]);
    await meta.refresh();
    expect(meta.symbols().toSorted()).toEqual(names.toSorted());
    expect(asked.filter((path) => path.includes('cvd'))).toHaveLength(3);
    wall.advance(2 * minute);
    await meta.refresh();
    expect(meta.symbols()).toEqual(['BTCUSDT', 'ETHUSDT', 'XRPUSDT', 'SOLUSDT', 'NEWUSDT']);
    wall.advance(2 * minute);
    await meta.refresh();
    const cvd = () => asked.filter((path) => path.includes('cvd')).length;
    const known = cvd();
    wall.advance(day);
    await meta.refresh();
    expect(cvd()).toBe(known + 3);
  });

  it('is asked for /meta twice in ten minutes, not at each look, as each answer costs a request', async () => {
    const { meta, wall, asked } = await start();
    for (let turn = 0; turn < 10; turn += 1) {
      await meta.refresh();
      wall.advance(minute);
    }
    expect(asked.filter((path) => path.includes('/meta'))).toHaveLength(2);
    expect(meta.symbols()).toHaveLength(names.length);
  });

  it.each([1, 60, 240])(
    'at %s × is asked about itself once a minute: each time counts against its limit',
    async (speed) => {
      const wall = testWall();
      let ready = false;
      const { baseUrl } = await serve((request, response) =>
        json({ ...answers.meta, marketTime: new Date(wall.now()).toISOString(), speed, ready })(
          request,
          response,
        ),
      );
      const meta = trackMeta(clientOf(baseUrl, { wall }).polls, { wall, hosted: true });
      await meta.refresh();
      expect(meta.interval()).toBe(minute / 6);
      ready = true;
      wall.advance(minute);
      await meta.refresh();
      expect(meta.interval()).toBe(minute);
    },
  );

  it('is asked again for a volume that was unavailable, which then determines the order', async () => {
    let down = true;
    const { meta, wall } = await start(() => down);
    await expect(meta.refresh()).rejects.toMatchObject({ name: 'ApiError' });
    expect(meta.symbols().toSorted()).toEqual(names.toSorted());
    down = false;
    for (let turn = 0; turn < 2; turn += 1) {
      wall.advance(2 * minute);
      await meta.refresh();
    }
    expect(meta.symbols()[0]).toBe('BTCUSDT');
  });
});

describe('a data service that has reported its time', () => {
  it.each([
    ['of a past market is taken at its word while a proxy answers 404 in its place', 'recorded', day],
    ['of the live market may stop doing so', 'live', 0],
  ] as const)('%s', async (_, source, behind) => {
    let offered = true;
    const wall = testWall();
    const service = await serve((request, response) => {
      const marketTime = new Date(wall.now() - day).toISOString();
      const meta = { ...answers.meta, source, marketTime, speed: 1 };
      json(offered ? meta : { error: 'Not found' }, offered ? 200 : 404)(request, response);
    });
    const { polls } = clientOf(service.baseUrl, { wall });
    const meta = trackMeta(polls, { wall });
    await meta.refresh();
    offered = false;
    wall.advance(2 * minute);
    await expect(meta.refresh()).rejects.toMatchObject({ name: 'ApiError' });
    expect(wall.now() - meta.market().now()).toBe(behind);
  });
});
