import { beforeEach, describe, expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { keepStream } from '#src/service/exchanges/stream.ts';
import { differenceOf } from '#src/service/simulation/imitated-venue.ts';
import hyperliquid from '#src/service/venues/hyperliquid/venue.ts';
import type { TopOfBook } from '#src/service/venues/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { createAnswers } from '#test/support/venues/answers.ts';
import { playedNow, playVenue } from '#test/support/venues/play-venue.ts';

const now = playedNow;
const clock = realTime({ now: () => now });
const topOfHour = Math.floor(now / hour) * hour;

describe('the client, over the simulator', () => {
  it('lists what has a pair, by volume; a unit of a thousand coins has the others’ name', async () => {
    const { markets } = await playVenue(hyperliquid);
    const listings = await markets.listings();
    expect(listings.filter(({ state }) => state !== undefined)).toEqual([
      { symbol: 'MATICUSDT', number: 3, listed: 0, volume: 0, state: 'ENDED' },
    ]);
    const symbols = listings.filter(({ state }) => state === undefined).map(({ symbol }) => symbol);
    expect(symbols).toContain('1000PEPEUSDT');
    expect(symbols).toHaveLength(market.instruments.filter(({ base }) => /^[A-Z0-9]+$/.test(base)).length);
  });

  it('settles every hour, at a rate of its own', async () => {
    const page = { from: topOfHour - 48 * hour, to: topOfHour };
    const { markets } = await playVenue(hyperliquid);
    const settled = (await markets.funding?.('BTCUSDT', page)) ?? [];
    expect(settled.map(({ time }) => time)).toEqual(
      Array.from({ length: 49 }, (_, at) => page.from + at * hour),
    );
    const { estFunding } = market.mark('BTCUSDT', page.from);
    const { rate } = differenceOf('hyperliquid', { base: 'BTC', time: page.from });
    expect(settled[0]?.rate).toBeCloseTo((estFunding + rate) / 8, 9);
  });

  it('settlements of an unknown coin are an invalid request', async () => {
    const { markets } = await playVenue(hyperliquid);
    const asked = markets.funding?.('NOSUCHUSDT', { from: topOfHour - hour, to: topOfHour });
    await expect(asked).rejects.toMatchObject({ name: 'ApiError', reason: 'invalid_request' });
  });

  it('receives best quotes after subscribing', async () => {
    const { quotes } = hyperliquid.roles;
    const { exchanges, ending } = await playVenue(hyperliquid);
    const first = Promise.withResolvers<readonly TopOfBook[]>();
    const problems: string[] = [];
    const running = keepStream({
      url: quotes?.url(exchanges.streams?.root ?? '') ?? '',
      subscriptions: () => quotes?.subscribe?.(['ETHUSDT']) ?? [],
      ping: { every: 500, text: quotes?.ping?.text ?? '' },
      silence: minute,
      wall: wallClock,
      random: () => 1,
      signal: ending.signal,
      onMessage(text) {
        const tops = quotes?.read(text) ?? [];
        if (tops.length > 0) first.resolve(tops);
        return tops.length > 0;
      },
      onProblem: (problem) => problems.push(problem),
    });
    expect(await first.promise).toMatchObject([{ symbol: 'ETHUSDT' }]);
    expect(problems).toEqual([]);
    ending.abort();
    await running;
  });
});

describe('the simulator is as strict as Hyperliquid', () => {
  let answer: ReturnType<typeof createAnswers>;
  beforeEach(() => {
    answer = createAnswers({ market, clock, wall: { now: () => now }, limited: true });
  });
  const ask = (body: unknown) =>
    answer(new URL('http://x/hyperliquid/info'), typeof body === 'string' ? body : JSON.stringify(body));
  it.each<[string, unknown, number]>([
    ['a question it has', { type: 'exchangeStatus' }, 200],
    ['one it does not have', { type: 'liquidations' }, 422],
    ['no JSON', 'hello', 422],
    [
      'candles without their "req"',
      { type: 'candleSnapshot', coin: 'BTC', interval: '1h', startTime: 0 },
      422,
    ],
    ['a time that is no number', { type: 'fundingHistory', coin: 'BTC', startTime: '0' }, 422],
  ])('%s', (_, body, status) => {
    expect(ask(body).status).toBe(status);
  });

  it('it returns at most 500 settlements and 5,000 candles, and refuses beyond a weight of 1,200 a minute', () => {
    const funding = JSON.parse(ask({ type: 'fundingHistory', coin: 'BTC', startTime: 0 }).body);
    const req = { coin: 'BTC', interval: '1h', startTime: 0 };
    const candles = JSON.parse(ask({ type: 'candleSnapshot', req }).body);
    expect([funding.length, candles.length]).toEqual([500, 5_000]);
    // A weight of 45 and 103 was spent.
    const more = Array.from({ length: 25 }, () => ask({ type: 'fundingHistory', coin: 'ETH', startTime: 0 }));
    expect(more.findIndex(({ status }) => status === 429)).toBe(Math.floor((1_200 - 45 - 103) / 45));
  });
});
