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
import { type FakeClock, fakeClock } from '#test/support/clock.ts';
import { patience } from '#test/support/patience.ts';

const liquidation = (time: number, symbol = 'BTCUSDT'): Liquidation => ({
  ...{ symbol, time, side: 'LONG', price: 60_000, quantity: 1 },
});

/** A stream whose messages are lists of liquidations. */
const stream = (more: object) => ({ url: (root: string) => root, read: JSON.parse, all: true, ...more });
const ofWholeMarket = stream({ wholeMarket: true });

/** Collects from a venue that is played, with what a test needs otherwise in place of the rest of the context. */
async function collect(given: Readonly<Record<string, unknown>> = {}) {
  const archive = await openArchive('file::memory:');
  onTestFinished(() => archive.close());
  const reported: object[] = [];
  const { wall = wallClock, ...more } = given as { readonly wall?: FakeClock };
  const context = {
    ...{ archive, wall, clock: realTime(wall), random: () => 0, others: [], symbols: () => ['BTCUSDT'] },
    writeLiquidations: archive.writeLiquidations,
    report: (state: object) => void reported.push(state),
    ...more,
  };
  return {
    archive,
    reported,
    since: () => liquidationsCompleteSince(archive),
    /** Waits for the state of that number. */
    said: (count: number) => vi.waitUntil(() => reported.length === count, { timeout: patience }),
    /** Listens as a process does. Returns what stops it. */
    listen() {
      const stopped = new AbortController();
      const listening = collector.listen?.({
        ...context,
        signal: stopped.signal,
      } as unknown as CollectorContext);
      return async () => {
        stopped.abort();
        await listening;
      };
    },
  };
}

/** Plays a venue's stream. */
async function playStream(liquidations: object, markets: object = {}) {
  const exchange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => exchange.close());
  await once(exchange, 'listening');
  return {
    /** Resolves with the next connection. */
    connection: async (): Promise<WebSocket> => (await once(exchange, 'connection'))[0],
    exchanges: {
      markets,
      streams: { root: `ws://127.0.0.1:${(exchange.address() as AddressInfo).port}` },
      venue: { roles: { liquidations } },
    },
  };
}

it('liquidations that the database did not take are stored with the next, because the exchange sends them once', async () => {
  const { connection, exchanges } = await playStream(ofWholeMarket);
  let isAway = true;
  const stored: Liquidation[] = [];
  const { listen, reported, said } = await collect({
    exchanges,
    async writeLiquidations(rows: readonly Liquidation[]) {
      if (isAway) throw new Error('the database is away');
      stored.push(...rows);
    },
  });
  const connected = connection();
  const stop = listen();
  const socket = await connected;
  const send = (...rows: Liquidation[]) => socket.send(JSON.stringify(rows));
  send(liquidation(1), liquidation(2, 'OTHERUSDT'));
  const problem = { problem: expect.stringContaining('the database is away') };
  await said(1);
  expect(reported).toEqual([problem]);
  isAway = false;
  send(liquidation(3));
  await said(2);
  expect(stored).toEqual([liquidation(1), liquidation(3)]);
  expect(reported).toEqual([problem, { at: 3 }]);
  await stop();
});

it('a market that can be asked for the past is asked since what is stored, and again after a failure', async () => {
  const wall = fakeClock(0);
  const clock = { time: hour, now: () => clock.time, speed: 1 };
  const market = [1, 2, 3, 4].map((at) => liquidation(at * hour));
  const asked: string[] = [];
  let isAway = false;
  const markets = {
    async pastLiquidations({ from, to }: TimeRange) {
      asked.push(`${from / hour} ${to / hour}`);
      if (isAway) throw new Error('an outage');
      return market.filter(({ time }) => time >= from && time <= to);
    },
  };
  const { listen, archive, reported, said } = await collect({ exchanges: { markets }, wall, clock });
  const stored = async () =>
    (await archive.liquidations({ after: 0, to: 9 * hour, limit: 9 })).map(({ time }) => time / hour);
  const stop = listen();
  await said(1);
  [clock.time, isAway] = [2 * hour, true];
  await wall.advance(second);
  await said(2);
  [clock.time, isAway] = [3 * hour, false];
  await wall.advance(second);
  await said(3);
  await stop();
  expect(reported).toEqual([{ at: hour }, { problem: 'an outage' }, { at: 3 * hour }]);
  expect((await stored()).toSorted()).toEqual([1, 2, 3]);
  asked.length = 0;
  clock.time = 4 * hour;
  const stopAgain = listen();
  await said(4);
  await stopAgain();
  expect(asked[0]).toMatch(/^[23]/);
  expect((await stored()).toSorted()).toEqual([1, 2, 3, 4]);
});

it('where liquidations may be rare, the stream is back with the first message, and hours without one are no fault', async () => {
  const wall = fakeClock(7);
  let pongs = 0;
  const rare = stream({
    ...{ subscribe: () => ['a'], wholeMarket: false },
    ping: { every: 10 * minute, text: 'ping' },
    read(text: string) {
      if (text === 'ping') pongs += 1;
      return [];
    },
  });
  const { connection, exchanges } = await playStream(rare);
  const { listen, reported, said, since } = await collect({ exchanges, wall });
  const echo = async () => {
    const socket = await connection();
    socket.on('message', (text) => socket.send(text.toString()));
    return socket;
  };
  const connected = echo();
  const stop = listen();
  const socket = await connected;
  await said(1);
  expect(await since()).toBe(7);
  for (let asked = 1; asked <= 18; asked += 1) {
    await wall.advance(10 * minute);
    await vi.waitUntil(() => pongs === asked, { timeout: patience });
  }
  void echo();
  socket.terminate();
  await said(2);
  await wall.advance(0);
  await said(3);
  const problem = { problem: expect.stringContaining('closed') };
  expect(reported).toEqual([{ at: 7 }, problem, { at: 7 + 3 * hour }]);
  expect(await since()).toBe(7 + 3 * hour);
  await stop();
});

it('a stream of the whole market is dead after ten minutes without a liquidation, and not before', async () => {
  const wall = fakeClock();
  const { connection, exchanges } = await playStream(ofWholeMarket);
  const { listen, reported, said } = await collect({ exchanges, wall });
  const connected = connection();
  const stop = listen();
  await connected;
  await wall.advance(10 * minute - second);
  expect(reported).toEqual([]);
  await wall.advance(2 * second);
  await said(1);
  expect(reported).toEqual([{ problem: 'nothing heard for 600 s, though connected' }]);
  await stop();
});

it('where liquidations may be rare, a message that cannot be read is a problem until the next one that can', async () => {
  const { connection, exchanges } = await playStream(stream({ wholeMarket: false }));
  const { listen, reported } = await collect({ exchanges, clock: { now: () => 5, speed: 1 } });
  const connected = connection();
  const stop = listen();
  const socket = await connected;
  for (const text of ['[]', 'no JSON', '[]', '[]']) socket.send(text);
  await vi.waitUntil(() => reported.length >= 3, { timeout: patience });
  expect(reported.filter((state) => 'problem' in state)).toHaveLength(1);
  expect(reported.at(-1)).toEqual({ at: 5 });
  await stop();
});

it('says since when no liquidation is missing: since the first after a start, an interruption or a clock set back', async () => {
  const { connection, exchanges } = await playStream(ofWholeMarket);
  const clock = { time: 1_000, now: () => clock.time, speed: 1 };
  const writeLiquidations = async () => {};
  const { listen, said, since } = await collect({ exchanges, clock, writeLiquidations });
  const connected = connection();
  const stop = listen();
  const first = await connected;
  first.send(JSON.stringify([liquidation(900)]));
  await said(1);
  expect(await since()).toBe(1_000);
  clock.time = 2_000;
  first.send(JSON.stringify([liquidation(1_900)]));
  await said(2);
  expect(await since()).toBe(1_000);

  const reconnected = connection();
  first.terminate();
  const second = await reconnected;
  clock.time = 3_000;
  second.send(JSON.stringify([]));
  second.send(JSON.stringify([liquidation(2_900)]));
  await said(4);
  expect(await since()).toBe(3_000);
  clock.time -= hour;
  second.send(JSON.stringify([liquidation(2_950 - hour)]));
  await said(5);
  expect(await since()).toBe(3_000 - hour);
  await stop();

  const reopened = connection();
  const stopAgain = listen();
  await reopened;
  expect(await since()).toBeUndefined();
  await stopAgain();
});

it('how much a contract is, is asked for as a connection begins, and nothing is counted by what was known before', async () => {
  const stored: Liquidation[] = [];
  const answers = [Promise.withResolvers<[string, number][]>(), Promise.withResolvers<[string, number][]>()];
  let asked = 0;
  const { connection, exchanges } = await playStream(okx, {
    contractSizes: () => answers[asked++]?.promise ?? Promise.reject(new Error('asked too often')),
  });
  const { listen } = await collect({
    exchanges: { ...exchanges, venue: okx },
    symbols: () => ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
    writeLiquidations: async (rows: readonly Liquidation[]) => void stored.push(...rows),
  });
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
  const stop = listen();

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
  await stop();
});
