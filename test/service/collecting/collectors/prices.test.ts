import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { marketClock, wallClock } from '#src/runtime/clock.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import collector from '#src/service/collecting/collectors/prices.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
import { keepListening, type RunningCollector } from '#src/service/collecting/rounds.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { openExchanges } from '#src/service/venues/open-exchanges.ts';
import { loadVenues, type Venue } from '#src/service/venues/venue.ts';
import { calmMarket } from '#test/support/calm-market.ts';
import { patience } from '#test/support/patience.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import type { Fault } from '#test/support/venues/fault.ts';

const begin = Date.UTC(2025, 5, 3, 10, 7, 30);
const symbols = ['BTCUSDT', 'ETHUSDT', '1000SHIBUSDT'];
const waiting = { timeout: patience, interval: 50 };

/** Collects the prices of a venue that stands in for a real one. */
async function collectPrices(
  venue: Venue,
  fault: (path: string) => Fault | undefined = () => undefined,
  {
    market = calmMarket,
    ahead = 0,
    atEnd = onTestFinished,
  }: { market?: Market; ahead?: number; atEnd?: typeof onTestFinished } = {},
) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const clock = marketClock(wallClock, { market: begin, wall: wallClock.now(), speed: 1 });
  const ofVenue = { ...clock, now: () => clock.now() - ahead };
  const played = await startExchanges({ market, clock: ofVenue, fault });
  const exchanges = openExchanges(played.urls, { venue, wall: wallClock, signal });
  const archive = await openArchive('file::memory:');
  const prices = createPriceTable();
  const reported: { at?: number; problem?: string }[] = [];
  const context = {
    ...{ exchanges, archive, prices, clock, signal, wall: wallClock },
    random: () => 0,
    symbols: () => symbols,
    listed: () => new Map(symbols.map((symbol) => [symbol, { symbol }])),
    aheadBy: () => ahead,
    report: (state: object) => void reported.push(state),
  } as unknown as CollectorContext;
  let listening: Promise<void> | undefined;
  atEnd(async () => {
    stopped.abort();
    await listening;
    await exchanges.close();
    await played.close();
    await archive.close();
  });
  return {
    clock,
    prices,
    reported,
    archive,
    async start() {
      await collector.collect?.(context, {
        now: clock.now(),
        since: undefined,
        catchUp: async () => undefined,
      });
      listening = collector.listen?.(context);
    },
  };
}

const venues = await loadVenues();
const binance = venues.find(({ name }) => name === 'binance') as Venue;

describe.each(venues)('$title', (venue) => {
  it('tells the price of every market as it changes, none of others, and never one of later than now', async () => {
    const { clock, prices, start } = await collectPrices(venue);
    expect(prices.stale()).toBe(true);
    await start();
    expect(prices.stale()).toBe(false);
    const known = prices.changed().map(({ symbol }) => symbol);
    expect(known.toSorted()).toEqual(symbols.toSorted());
    for (const symbol of symbols) {
      const before = prices.revision();
      await vi.waitUntil(() => prices.changed(before).some((each) => each.symbol === symbol), waiting);
      const { price = 0, time = 0 } = prices.of(symbol) ?? {};
      expect(price / calmMarket.price(symbol, clock.now())).toBeCloseTo(1, 2);
      expect(time).toBeLessThanOrEqual(clock.now());
    }
  });
});

it('a stream that says nothing is noticed within 5 s, and the venue is asked instead', async () => {
  let isSilent = false;
  const { prices, start, clock } = await collectPrices(binance, (path) =>
    isSilent && path.startsWith('/market/') ? { kind: 'hang' } : undefined,
  );
  isSilent = true;
  await start();
  const before = prices.revision();
  await vi.waitUntil(() => prices.revision() > before, waiting);
  expect(prices.stale()).toBe(false);
  expect(clock.now() - begin).toBeGreaterThan(4 * second);
});

it('a stream of a venue whose clock is behind ours is heard, and its prices are of now', async () => {
  let isAsked = false;
  const { prices, start, clock } = await collectPrices(
    binance,
    (path) => (isAsked && path === '/fapi/v1/ticker/24hr' ? { kind: 'answer', status: 503 } : undefined),
    { ahead: hour },
  );
  await start();
  isAsked = true;
  const before = prices.revision();
  await vi.waitUntil(() => prices.revision() > before, waiting);
  expect(prices.stale()).toBe(false);
  expect(clock.now() - (prices.of('BTCUSDT')?.time ?? 0)).toBeLessThan(hour / 2);
});

it('prices that nobody tells any more are stale within 5 s, and of now again with the next news', async () => {
  let isDown = false;
  const { prices, start } = await collectPrices(binance, (path) =>
    isDown && (path.startsWith('/market/') || path === '/fapi/v1/ticker/24hr')
      ? { kind: 'answer', status: 503 }
      : undefined,
  );
  isDown = true;
  await expect(start()).rejects.toThrow();
  expect(prices.stale()).toBe(true);
  isDown = false;
  await start();
  expect(prices.stale()).toBe(false);
});

it('prices that stand still, said anew at new times by stream and answers, are stale within 5 s', async () => {
  const frozen: Market = {
    ...calmMarket,
    price: (symbol) => calmMarket.price(symbol, begin),
    mark: (symbol, time) => ({ ...calmMarket.mark(symbol, begin), time }),
  };
  const { prices, start, clock } = await collectPrices(binance, () => undefined, { market: frozen });
  await start();
  expect(prices.stale()).toBe(false);
  const startedAt = clock.now();
  await vi.waitUntil(() => prices.stale(), waiting);
  expect(clock.now() - startedAt).toBeGreaterThan(4 * second);
  // Ten times as long would be the fault; a busy machine is none.
  expect(clock.now() - startedAt).toBeLessThan(40 * second);
  expect(prices.of('BTCUSDT')?.time).toBeLessThanOrEqual(startedAt + second);
});

const loop = () => {
  const said: string[] = [];
  let count = 0;
  return (text: string) => {
    if (said.length < 6) said.push(text);
    count += 1;
    const time = /"E":(\d+)/.exec(text)?.[1];
    return said[count % said.length]?.replaceAll(/"E":\d+/g, `"E":${time}`) ?? text;
  };
};

/** Ways in which a stream lies from some message on: each rewrites what the venue would say. */
const lies: Readonly<Record<string, () => (text: string) => string>> = {
  'prices of before at new times': () => {
    const first = new Map<string, string>();
    return (text) =>
      text.replaceAll(/"s":"(\w+)","([cp])":"([\d.]+)"/g, (_, symbol, field, price) => {
        const key = `${symbol} ${field}`;
        first.set(key, first.get(key) ?? price);
        return `"s":"${symbol}","${field}":"${first.get(key)}"`;
      });
  },
  'times of before': () => (text) => text.replaceAll(/"E":\d+/g, `"E":${begin - hour}`),
  'absurd prices': () => {
    let count = 0;
    return (text) => {
      count += 1;
      const factor = 10 ** (1 + (count % 7));
      return text.replaceAll(/"([cp])":"([\d.]+)"/g, (_, field, price) => `"${field}":"${price * factor}"`);
    };
  },
  "another market's prices": () => (text) =>
    text.replaceAll(/"s":"(BTC|ETH)USDT"/g, (_, coin) => `"s":"${coin === 'BTC' ? 'ETH' : 'BTC'}USDT"`),
  'nothing, in heartbeats': () => () => '{"stream":"!miniTicker@arr","data":[]}',
  'everything in another order': () => {
    const said: string[] = [];
    return (text) => said[said.push(text) % 2 === 0 ? said.length - 3 : said.length - 1] ?? text;
  },
  'times of a few seconds later': () => (text) =>
    text.replaceAll(/"E":(\d+)/g, (_, time) => `"E":${Number(time) + 3 * second}`),
  'a time far ahead, once': () => {
    let isFirst = true;
    return (text) => {
      const said = isFirst ? text.replaceAll(/"E":(\d+)/g, (_, time) => `"E":${Number(time) + hour}`) : text;
      isFirst = false;
      return said;
    };
  },
  'the last seconds over and over, at new times': loop,
};

it.concurrent.for(Object.entries(lies))(
  'a stream that says %s is not believed, and the venue is asked instead',
  async ([, lie], { onTestFinished: atEnd, expect }) => {
    const rewrite = lie();
    const { prices, start, clock } = await collectPrices(
      binance,
      (path) => (path.startsWith('/market/') ? { kind: 'rewrite', rewrite } : undefined),
      { atEnd },
    );
    await start();
    const told: { at: number; price: number }[] = [];
    prices.onChange(() => void told.push({ at: clock.now(), price: prices.of('BTCUSDT')?.price ?? 0 }));
    const asked = () => told.filter(({ at }) => at > begin + 5 * second);
    await vi.waitUntil(() => new Set(asked().map(({ price }) => price)).size >= 2, waiting);
    expect(prices.stale()).toBe(false);
    // Each price is followed by a newer one, and none returns: what is said over and over is heard as such after 4 s.
    const distinct = (lie === loop ? asked() : told)
      .map(({ price }) => price)
      .filter((price, index, all) => price !== all[index - 1]);
    expect(new Set(distinct).size).toBe(distinct.length);
    for (const { at, price } of told) expect(price / calmMarket.price('BTCUSDT', at)).toBeCloseTo(1, 2);
  },
);

/** Listens to a stream on loopback that says what a test tells it to, and collects the prices that are believed. */
async function hear() {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  await once(exchange, 'listening');
  const [prices, stopped] = [createPriceTable(), new AbortController()];
  const time = { market: begin, wall: begin };
  const taken: unknown[] = [];
  prices.onChange(() => void taken.push(prices.of('BTCUSDT')?.price));
  const connected = once(exchange, 'connection');
  const context = {
    exchanges: {
      markets: {},
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: { roles: { ticks: { url: (root: string) => root, read: JSON.parse } } },
    },
    ...{ prices, clock: { now: () => time.market, speed: 1 }, random: () => 0 },
    archive: {
      readAll: async (_: string, { to }: { to: number }) => [
        { symbol: 'BTCUSDT', time: to - 5 * minute, markPrice: 50 },
      ],
    },
    wall: { ...wallClock, now: () => time.wall },
    ...{ symbols: () => symbols, listed: () => new Map([['BTCUSDT', {}]]), aheadBy: () => 0, report() {} },
    signal: stopped.signal,
  } as unknown as CollectorContext;
  const listening = keepListening({ collector, context } as RunningCollector);
  onTestFinished(() => {
    stopped.abort();
    return listening;
  });
  const [socket] = await connected;
  return {
    time,
    prices,
    taken,
    async say(price: number, lag = 0) {
      socket.send(JSON.stringify([{ symbol: 'BTCUSDT', price, time: time.market - lag }]));
      // What answers this ping has read the message.
      await Promise.all([once(socket, 'pong'), socket.ping()]);
    },
  };
}

it('a message that comes more than 5 s later than the quickest of its connection is left out', async () => {
  const { time, taken, say } = await hear();
  for (const [price, lag] of [
    [100, 0],
    [101, 4.9 * second],
    [102, 5.1 * second],
    [103, 4.9 * second],
  ] as const) {
    time.market += 10 * second;
    await say(price, lag);
  }
  expect(taken).toEqual([100, 101, 103]);
});

it('after the clock was set back a stream is believed that had been dead, and no price is of later than now', async () => {
  const { time, prices, taken, say } = await hear();
  for (const [price, passed] of [
    [100, 0],
    [101, 10 * second],
    [102, -2 * hour],
    [103, second],
  ] as const) {
    time.wall += passed;
    time.market += passed;
    await say(price);
  }
  expect(taken).toEqual([100, 101, 103]);
  expect(prices.of('BTCUSDT')?.time).toBe(time.market);
  expect(prices.changes('BTCUSDT')).toEqual({ change5mPct: 106 });
});

it('changes are known from the start, from the marks that the archive has', async () => {
  const { prices, start, archive, clock } = await collectPrices(binance);
  const at = Math.floor(clock.now() / (5 * minute)) * 5 * minute;
  const marks = Array.from({ length: 50 }, (_, index) => ({
    ...{ symbol: 'BTCUSDT', time: at - index * 5 * minute, markPrice: 1_000 + index },
    ...{ indexPrice: 1_000, estFunding: 0 },
  }));
  await archive.write('marks', marks);
  await start();
  const { price = 0 } = prices.of('BTCUSDT') ?? {};
  const { change15mPct, change1hPct, change4hPct, change1mPct } = prices.changes('BTCUSDT');
  expect(change1mPct).toBeUndefined();
  expect(change15mPct).toBeCloseTo((price / 1_003 - 1) * 100, 3);
  expect(change1hPct).toBeCloseTo((price / 1_012 - 1) * 100, 3);
  expect(change4hPct).toBeCloseTo((price / 1_048 - 1) * 100, 3);
  expect(hour).toBe(60 * minute);
});
