import { describe, expect, it } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { day, hour, minute } from '#src/runtime/units.ts';
import { keepStream } from '#src/service/exchanges/stream.ts';
import type { Transport } from '#src/service/exchanges/transport.ts';
import { parseLiquidations } from '#src/service/venues/bybit/messages.ts';
import bybit from '#src/service/venues/bybit/venue.ts';
import { calmMarket as market } from '#test/support/calm-market.ts';
import { createAnswers } from '#test/support/venues/answers.ts';
import { playedNow, playVenue } from '#test/support/venues/play-venue.ts';

const now = playedNow;
const topOfHour = Math.floor(now / hour) * hour;

describe('the client, over the simulator', () => {
  it('all settlements of a page are returned, however many answers they take', async () => {
    const page = { from: topOfHour - 100 * day, to: topOfHour };
    const { markets } = await playVenue(bybit);
    const settled = (await markets.funding?.('BTCUSDT', page)) ?? [];
    const told = market.settlements('BTCUSDT', page);
    expect(told.length).toBeGreaterThan(200);
    expect(settled.map(({ time }) => time)).toEqual(told.map(({ time }) => time));
    expect(settled[0]?.rate).toBeCloseTo(told[0]?.rate ?? 0, 7);
  });

  it('a list whose pages never end is left after ten', async () => {
    const endless: Transport = {
      async get(endpoint) {
        const result = { list: [], nextPageCursor: 'more' };
        asked.push(endpoint);
        return { status: 200, headers: {}, text: JSON.stringify({ retCode: 0, result }) };
      },
      close: async () => {},
    };
    const asked: string[] = [];
    const { signal } = new AbortController();
    const client = bybit.open({ url: 'https://venue.example', wall: wallClock, signal, transport: endless });
    expect(await client.listings()).toEqual([]);
    expect(asked.filter((endpoint) => endpoint.endsWith('instruments-info'))).toHaveLength(10);
  });

  it('only markets that have settled since are requested, each by its own interval', async () => {
    // At 12:00 only markets with an interval of 4 hours settle.
    const time = Date.UTC(2025, 5, 3, 12, 2);
    const { markets, asked } = await playVenue(bybit, () => time);
    const symbols = market.instruments.map(({ symbol }) => symbol);
    const page = { from: time - 10 * minute, to: time };
    const settled = (await markets.funding?.(symbols, page)) ?? [];
    const due = market.instruments.filter(({ fundingHours }) => fundingHours === 4);
    expect(due.length).toBeGreaterThan(0);
    expect(settled.map(({ symbol }) => symbol).sort()).toEqual(due.map(({ symbol }) => symbol).sort());
    expect(asked.filter((path) => path.endsWith('/funding/history'))).toHaveLength(due.length);
  });

  it('liquidations arrive after subscribing, by the others’ name; a wrong topic is reported', async () => {
    const { liquidations } = bybit.roles;
    let time = now;
    const { exchanges, ending } = await playVenue(bybit, () => time);
    const [first] = market
      .liquidations(now, now + 2 * hour)
      .filter(({ symbol }) => symbol === '1000SHIBUSDT');
    const told = Promise.withResolvers<string>();
    const problem = Promise.withResolvers<string>();
    const running = keepStream({
      url: liquidations?.url(exchanges.streams?.root ?? '') ?? '',
      subscriptions: () => liquidations?.subscribe?.(['1000SHIBUSDT', 'NOSUCHUSDT']) ?? [],
      ping: { every: 50, text: liquidations?.ping?.text ?? '' },
      silence: minute,
      wall: wallClock,
      random: () => 1,
      signal: ending.signal,
      onMessage(text) {
        try {
          for (const { symbol, time: at } of parseLiquidations(text))
            if (at === first?.time) told.resolve(symbol);
          if (text.includes('"pong"') && first !== undefined) time = first.time;
        } catch (error) {
          problem.resolve(String(error));
        }
      },
      onProblem: problem.resolve,
    });
    expect(await problem.promise).toMatch(/Invalid symbol.*NOSUCHUSDT/);
    expect(await told.promise).toBe('1000SHIBUSDT');
    ending.abort();
    await running;
  });
});

describe('the simulator is as strict as Bybit', () => {
  const ask = (path: string, answer = createAnswers({ market, clock: realTime({ now: () => now }) })) =>
    answer(new URL(`http://x/bybit/v5/market/${path}`));
  it.each<[string, string, number]>([
    ['a question it has', 'kline?category=linear&symbol=BTCUSDT&interval=60', 0],
    ['without a category', 'kline?symbol=BTCUSDT&interval=60', 10_001],
    ['an unknown symbol', 'account-ratio?category=linear&symbol=X&period=15min', 10_001],
    [
      'more rows than there are',
      'open-interest?category=linear&symbol=BTCUSDT&intervalTime=5min&limit=201',
      10_001,
    ],
    ['settlements with a start alone', 'funding/history?category=linear&symbol=BTCUSDT&startTime=0', 10_001],
  ])('%s', (_, path, code) => {
    expect(JSON.parse(ask(path).body)).toMatchObject({ retCode: code });
  });

  it('it refuses the address beyond 600 requests in 5 s', () => {
    const strict = createAnswers({
      market,
      clock: realTime({ now: () => now }),
      wall: { now: () => now },
      limited: true,
    });
    const answers = Array.from({ length: 601 }, () => ask('time', strict).status);
    expect(answers.indexOf(403)).toBe(600);
  });
});
