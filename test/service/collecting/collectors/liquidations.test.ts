import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import type { Liquidation, TimeRange } from '#src/service/archive/archive.ts';
import { openArchive } from '#src/service/archive/open.ts';
import type { CollectorContext } from '#src/service/collecting/collectors/collector.ts';
import collector, { liquidationsCompleteSince } from '#src/service/collecting/collectors/liquidations.ts';
import okx from '#src/service/venues/okx/venue.ts';
import { fakeClock } from '#test/support/clock.ts';
import { patience } from '#test/support/patience.ts';

const liquidation = (time: number, symbol = 'BTCUSDT'): Liquidation => ({
  ...{ symbol, time, side: 'LONG', price: 60_000, quantity: 1 },
});

it('liquidations that the database did not take are stored with the next, because the exchange sends them once', async () => {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  const connected = once(exchange, 'connection');
  await once(exchange, 'listening');

  let isAway = true;
  const stored: Liquidation[] = [];
  const reported: unknown[] = [];
  const stopped = new AbortController();
  const context = {
    exchanges: {
      markets: {},
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: {
        roles: {
          liquidations: { url: (root: string) => root, read: JSON.parse, all: true, wholeMarket: true },
        },
      },
    },
    archive: { put: async () => {} },
    clock: realTime(wallClock),
    wall: wallClock,
    random: () => 0,
    signal: stopped.signal,
    others: [],
    symbols: () => ['BTCUSDT'],
    async writeLiquidations(rows: readonly Liquidation[]) {
      if (isAway) throw new Error('the database is away');
      stored.push(...rows);
    },
    report: (state: unknown) => void reported.push(state),
  } as unknown as CollectorContext;
  const listening = collector.listen?.(context);

  const [socket] = await connected;
  const send = (...rows: Liquidation[]) => socket.send(JSON.stringify(rows));
  send(liquidation(1), liquidation(2, 'OTHERUSDT'));
  const problem = { problem: expect.stringContaining('the database is away') };
  await vi.waitUntil(() => reported.length === 1, { timeout: patience });
  expect(reported).toEqual([problem]);
  isAway = false;
  send(liquidation(3));
  await vi.waitUntil(() => reported.length === 2, { timeout: patience });
  expect(stored).toEqual([liquidation(1), liquidation(3)]);
  expect(reported).toEqual([problem, { at: 3 }]);
  stopped.abort();
  await listening;
});

it('a market that can be asked for the past is asked since what is stored, and again after a failure', async () => {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  const wall = fakeClock(0);
  const market = [1, 2, 3, 4].map((at) => liquidation(at * hour));
  const asked: string[] = [];
  const reported: unknown[] = [];
  let isAway = false;
  const play = async (clock: { now: number }, steps: () => Promise<unknown>) => {
    const stopped = new AbortController();
    const context = {
      exchanges: {
        markets: {
          async pastLiquidations({ from, to }: TimeRange) {
            asked.push(`${from / hour} ${to / hour}`);
            if (isAway) throw new Error('an outage');
            return market.filter(({ time }) => time >= from && time <= to);
          },
        },
      },
      archive,
      clock: { now: () => clock.now, speed: 1 },
      wall,
      signal: stopped.signal,
      others: [],
      symbols: () => ['BTCUSDT'],
      writeLiquidations: archive.writeLiquidations,
      report: (state: unknown) => void reported.push(state),
    } as unknown as CollectorContext;
    const listening = collector.listen?.(context);
    await steps();
    stopped.abort();
    await listening;
  };
  const stored = async () =>
    (await archive.liquidations({ after: 0, to: 9 * hour, limit: 9 })).map(({ time }) => time / hour);
  const clock = { now: hour };
  await play(clock, async () => {
    await vi.waitUntil(() => reported.length === 1, { timeout: patience });
    [clock.now, isAway] = [2 * hour, true];
    await wall.advance(second);
    await vi.waitUntil(() => reported.length === 2, { timeout: patience });
    [clock.now, isAway] = [3 * hour, false];
    await wall.advance(second);
    await vi.waitUntil(() => reported.length === 3, { timeout: patience });
  });
  expect(reported).toEqual([{ at: hour }, { problem: 'an outage' }, { at: 3 * hour }]);
  expect((await stored()).toSorted()).toEqual([1, 2, 3]);
  asked.length = 0;
  await play({ now: 4 * hour }, () => vi.waitUntil(() => reported.length === 4, { timeout: patience }));
  expect(asked[0]).toMatch(/^[23]/);
  expect((await stored()).toSorted()).toEqual([1, 2, 3, 4]);
});

it('where liquidations may be rare, the stream is back with the first message, and hours without one are no fault', async () => {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  await once(exchange, 'listening');
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  const reported: unknown[] = [];
  const stopped = new AbortController();
  const wall = fakeClock(7);
  let pongs = 0;
  const liquidations = {
    ...{ url: (root: string) => root, subscribe: () => ['a'], all: true, wholeMarket: false },
    ping: { every: 10 * minute, text: 'ping' },
    read(text: string) {
      if (text === 'ping') pongs += 1;
      return [];
    },
  };
  const context = {
    exchanges: {
      markets: {},
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: { roles: { liquidations } },
    },
    archive,
    clock: realTime(wall),
    wall,
    random: () => 0,
    signal: stopped.signal,
    others: [],
    symbols: () => ['BTCUSDT'],
    writeLiquidations: async () => {},
    report: (state: unknown) => void reported.push(state),
  } as unknown as CollectorContext;
  const sockets: WebSocket[] = [];
  exchange.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (text) => socket.send(text.toString()));
  });
  const listening = collector.listen?.(context);

  await vi.waitUntil(() => reported.length === 1, { timeout: patience });
  expect(await liquidationsCompleteSince(archive)).toBe(7);
  for (let asked = 1; asked <= 18; asked += 1) {
    await wall.advance(10 * minute);
    await vi.waitUntil(() => pongs === asked, { timeout: patience });
  }
  sockets[0]?.terminate();
  await vi.waitUntil(() => reported.length === 2, { timeout: patience });
  await wall.advance(0);
  await vi.waitUntil(() => reported.length === 3, { timeout: patience });
  const problem = { problem: expect.stringContaining('closed') };
  expect(reported).toEqual([{ at: 7 }, problem, { at: 7 + 3 * hour }]);
  expect(await liquidationsCompleteSince(archive)).toBe(7 + 3 * hour);
  stopped.abort();
  await listening;
});

it('where liquidations may be rare, a message that cannot be read is a problem until the next one that can', async () => {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  const connected = once(exchange, 'connection');
  await once(exchange, 'listening');
  const reported: unknown[] = [];
  const stopped = new AbortController();
  const context = {
    exchanges: {
      markets: {},
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: {
        roles: {
          liquidations: { url: (root: string) => root, read: JSON.parse, all: true, wholeMarket: false },
        },
      },
    },
    archive: { put: async () => {}, get: async () => 0 },
    clock: { now: () => 5, speed: 1 },
    wall: wallClock,
    random: () => 0,
    signal: stopped.signal,
    others: [],
    symbols: () => ['BTCUSDT'],
    writeLiquidations: async () => {},
    report: (state: unknown) => void reported.push(state),
  } as unknown as CollectorContext;
  const listening = collector.listen?.(context);
  const [socket] = await connected;
  for (const text of ['[]', 'no JSON', '[]', '[]']) socket.send(text);
  await vi.waitUntil(() => reported.length >= 3, { timeout: patience });
  expect(reported.filter((state) => 'problem' in (state as object))).toHaveLength(1);
  expect(reported.at(-1)).toEqual({ at: 5 });
  stopped.abort();
  await listening;
});

it('says since when no liquidation is missing: since the first after a start or an interruption', async () => {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  await once(exchange, 'listening');
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  let now = 1_000;
  const stopped = new AbortController();
  const reported: unknown[] = [];
  const context = {
    exchanges: {
      markets: {},
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: {
        roles: {
          liquidations: { url: (root: string) => root, read: JSON.parse, all: true, wholeMarket: true },
        },
      },
    },
    archive,
    clock: { now: () => now, speed: 1 },
    wall: wallClock,
    random: () => 0,
    signal: stopped.signal,
    others: [],
    symbols: () => ['BTCUSDT'],
    writeLiquidations: async () => {},
    report: (state: unknown) => void reported.push(state),
  } as unknown as CollectorContext;
  const connection = async () => (await once(exchange, 'connection'))[0];
  const since = () => liquidationsCompleteSince(archive);
  const connected = connection();
  const listening = collector.listen?.(context);

  const first = await connected;
  first.send(JSON.stringify([liquidation(900)]));
  await vi.waitUntil(() => reported.length === 1, { timeout: patience });
  expect(await since()).toBe(1_000);
  now = 2_000;
  first.send(JSON.stringify([liquidation(1_900)]));
  await vi.waitUntil(() => reported.length === 2, { timeout: patience });
  expect(await since()).toBe(1_000);

  const reconnected = connection();
  first.terminate();
  const second = await reconnected;
  now = 3_000;
  second.send(JSON.stringify([]));
  second.send(JSON.stringify([liquidation(2_900)]));
  await vi.waitUntil(() => reported.length === 4, { timeout: patience });
  expect(await since()).toBe(3_000);
  stopped.abort();
  await listening;

  const restarted = new AbortController();
  const reopened = connection();
  const again = collector.listen?.({ ...context, signal: restarted.signal });
  await reopened;
  expect(await since()).toBeUndefined();
  restarted.abort();
  await again;
});

it('how much a contract is, is asked for as a connection begins, and nothing is counted by what was known before', async () => {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  await once(exchange, 'listening');
  const stored: Liquidation[] = [];
  const stopped = new AbortController();
  const answers = [Promise.withResolvers<[string, number][]>(), Promise.withResolvers<[string, number][]>()];
  let asked = 0;
  const context = {
    exchanges: {
      markets: {
        contractSizes: () => answers[asked++]?.promise ?? Promise.reject(new Error('asked too often')),
      },
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: okx,
    },
    archive: { put: async () => {} },
    clock: realTime(wallClock),
    wall: wallClock,
    random: () => 0,
    signal: stopped.signal,
    others: [],
    symbols: () => ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
    writeLiquidations: async (rows: readonly Liquidation[]) => void stored.push(...rows),
    report: () => {},
  } as unknown as CollectorContext;
  const connection = async () => (await once(exchange, 'connection'))[0];
  const amounts = () => new Set(stored.map(({ symbol, quantity }) => `${symbol} ${quantity}`));
  const send = (socket: WebSocket, ...coins: readonly string[]) =>
    socket.send(
      JSON.stringify({
        arg: { channel: 'liquidation-orders', instType: 'SWAP' },
        data: coins.map((coin) => ({
          instId: `${coin}-USDT-SWAP`,
          details: [{ bkPx: '100', side: 'sell', posSide: 'long', sz: '8', ts: '1791565600771' }],
        })),
      }),
    );
  const resize = (coin: string, ctVal: string) =>
    JSON.stringify({
      arg: { channel: 'instruments', instType: 'SWAP' },
      data: [{ instId: `${coin}-USDT-SWAP`, ctVal, ctMult: '1' }],
    });
  const sendUntil = (isDone: () => boolean, socket: WebSocket, coin: string) =>
    vi.waitUntil(
      () => {
        send(socket, coin);
        return isDone();
      },
      { timeout: patience },
    );
  const connected = connection();
  const listening = collector.listen?.(context);

  const first = await connected;
  send(first, 'SOL', 'NEW');
  await vi.waitUntil(() => asked === 1, { timeout: patience });
  answers[0]?.resolve([
    ['BTC-USDT-SWAP', 0.5],
    ['SOL-USDT-SWAP', 1],
  ]);
  await sendUntil(() => stored.length > 0, first, 'BTC');
  expect(amounts()).toEqual(new Set(['SOLUSDT 8', 'BTCUSDT 4']));

  stored.length = 0;
  const reconnected = connection();
  first.terminate();
  const second = await reconnected;
  // How much a contract is may have been changed while nothing was heard: nothing is counted by what was known before.
  expect(asked).toBe(1);
  send(second, 'SOL');
  await vi.waitUntil(() => asked === 2, { timeout: patience });
  second.send(resize('ETH', '3'));
  answers[1]?.resolve([
    ['SOL-USDT-SWAP', 0.25],
    ['ETH-USDT-SWAP', 1],
  ]);
  await sendUntil(() => amounts().has('ETHUSDT 24'), second, 'ETH');
  const told = () => new Set([...amounts()].filter((amount) => !amount.startsWith('BTC')));
  expect(told()).toEqual(new Set(['SOLUSDT 2', 'ETHUSDT 24']));
  expect(asked).toBe(2);
  stopped.abort();
  await listening;
});
