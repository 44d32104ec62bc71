import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keepLivePrices } from '#src/client/live-prices.ts';
import { maxStreamed, streamQuery } from '#src/contract/stream.ts';
import { realTime, steadyClock, wallClock } from '#src/runtime/clock.ts';
import { hour, iso, minute, second } from '#src/runtime/units.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
import { createPriceStream } from '#src/service/http/stream.ts';
import { fakeClock } from '#test/support/clock.ts';
import { patience } from '#test/support/patience.ts';

const waiting = { timeout: patience, interval: 20 };

/** A service with a stream of prices, and a bot that listens to it. */
async function connected() {
  const table = createPriceTable();
  const frames: string[] = [];
  const open = new Set<ServerResponse>();
  const stream = createPriceStream({
    prices: () => table,
    news: async () => [],
    now: Date.now,
    wall: wallClock,
    onError: (error) => expect.unreachable(String(error)),
  });
  const server = createServer((request, response) => {
    open.add(response);
    const { write } = response;
    response.write = ((text: string) => {
      frames.push(text);
      return write.call(response, text, 'utf8');
    }) as typeof response.write;
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://service').searchParams);
    stream.open(response, {
      lastEventId: request.headers['last-event-id']?.toString(),
      symbols: streamQuery.parse(query).symbols,
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = new Agent();
  let doubt: string | undefined;
  const live = keepLivePrices({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    ...{ apiKey: null, http, wall: wallClock, steady: steadyClock },
    market: () => realTime(wallClock),
    isOffered: () => true,
    doubt: () => doubt,
    random: () => 0,
  });
  onTestFinished(async () => {
    await live.stop();
    await stream.stop();
    await http.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    live,
    frames,
    table,
    tell(prices: Readonly<Record<string, number>>) {
      table.take(
        Object.entries(prices).map(([symbol, price]) => ({ symbol, price })),
        Date.now(),
      );
      table.setStale(false);
    },
    cut: () => {
      for (const response of open) response.destroy();
    },
    disbelieve: (reason: string) => {
      doubt = reason;
    },
    priceOf: (symbol: string) => live.now([symbol])?.prices.get(symbol)?.price,
  };
}

it('every price is told first, then what changes, and after an interruption only what has changed since', async () => {
  const { tell, cut, priceOf, frames } = await connected();
  tell({ BTCUSDT: 100, ETHUSDT: 10 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 100 && priceOf('ETHUSDT') === 10, waiting);
  frames.length = 0;
  tell({ BTCUSDT: 101 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 101, waiting);
  cut();
  tell({ BTCUSDT: 102 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 102, waiting);
  expect(priceOf('ETHUSDT')).toBe(10);
  expect(frames.join('')).not.toContain('ETHUSDT');
});

it('a market that is followed later is told from the next second on, with its price, and no other market is', async () => {
  const { tell, live, priceOf, frames } = await connected();
  tell({ BTCUSDT: 100, ETHUSDT: 10, SOLUSDT: 1 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 100, waiting);
  tell({ BTCUSDT: 101, ETHUSDT: 11, SOLUSDT: 2 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 101, waiting);
  expect(frames.join('')).not.toContain('ETHUSDT');
  await vi.waitUntil(() => priceOf('ETHUSDT') === 11, waiting);
  expect([...(live.now([])?.prices.keys() ?? [])].sort()).toEqual(['BTCUSDT', 'ETHUSDT']);
  frames.length = 0;
  tell({ BTCUSDT: 102, SOLUSDT: 3 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 102, waiting);
  expect(frames.join('')).not.toMatch(/ETHUSDT|SOLUSDT/);
});

it('who follows more markets than can be named is told of all', async () => {
  const { tell, live, priceOf } = await connected();
  tell({ BTCUSDT: 100, ETHUSDT: 10 });
  live.now(Array.from({ length: maxStreamed + 1 }, (_, at) => `A${at}USDT`));
  await vi.waitUntil(() => priceOf('BTCUSDT') === 100, waiting);
  expect(live.now([])?.prices.has('ETHUSDT')).toBe(true);
});

it('prices that the service calls stale, or that nothing is believed of, are not of now', async () => {
  const { tell, table, live, disbelieve, priceOf } = await connected();
  tell({ BTCUSDT: 100 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 100, waiting);
  table.setStale(true);
  await vi.waitUntil(() => live.now(['BTCUSDT']) === undefined, waiting);
  tell({ BTCUSDT: 101 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 101, waiting);
  disbelieve('its time has gone back');
  expect(live.now(['BTCUSDT'])).toBeUndefined();
});

/** A bot that listens to a service which sends what a test says. */
async function scripted() {
  /** The ids of the last event that were sent along, one for each connection. */
  const asked: (string | undefined)[] = [];
  const paths: string[] = [];
  let answer: ServerResponse | undefined;
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    answer = response;
    asked.push(request.headers['last-event-id']?.toString());
    paths.push(request.url ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = new Agent();
  const clock = fakeClock(Date.parse('2026-01-01T00:00:00.000Z'));
  const live = keepLivePrices({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ apiKey: null, http, wall: clock, steady: clock },
    market: () => realTime(clock),
    isOffered: () => true,
    doubt: () => undefined,
    random: () => 0,
  });
  onTestFinished(async () => {
    const stopped = live.stop();
    await clock.advance(minute);
    await stopped;
    await http.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const told: Record<string, number>[] = [];
  const known = () =>
    Object.fromEntries(
      [...(live.now(['BTCUSDT'])?.prices ?? [])].map(([symbol, { price }]) => [symbol, price]),
    );
  live.onChange(() => void told.push(known()));
  let sent = 0;
  const send = (text: string) => answer?.write(text);
  const price = (rows: Readonly<Record<string, unknown>>, { id = 'a-1-0', at = 0, marker = 0 } = {}) => {
    const data = Object.entries({ ...rows, ...(marker > 0 && { MARKUSDT: marker }) }).map(
      ([symbol, each]) => ({
        ...{ symbol, price: each },
        timestamp: iso(clock.now() + (symbol === 'MARKUSDT' ? 0 : at)),
      }),
    );
    const body = { timestamp: iso(clock.now() + at), stale: false, data };
    return `id: ${id}\nevent: price\ndata: ${JSON.stringify(body)}\n\n`;
  };
  known();
  await clock.advance(second);
  await vi.waitUntil(() => asked.length === 1, waiting);
  return {
    ...{ asked, paths, clock, live, told, known, send, price },
    cut: () => answer?.destroy(),
    /** Sends an event that is believed, and waits until it has been read, and with it all that was sent before. */
    async sendAndRead(rows: Readonly<Record<string, unknown>> = {}, options: { readonly id?: string } = {}) {
      sent += 1;
      send(price(rows, { ...options, marker: sent }));
      await vi.waitUntil(() => known().MARKUSDT === sent, waiting);
      const { MARKUSDT: _, ...prices } = known();
      return prices;
    },
  };
}

it('what is told of later than now is refused, and does not hold up what follows', async () => {
  const { send, price, sendAndRead, told } = await scripted();
  send(price({ BTCUSDT: 1 }, { at: hour }));
  expect(await sendAndRead({ BTCUSDT: 2 })).toEqual({ BTCUSDT: 2 });
  send('event: price\ndata: {"half\n\nevent: other\ndata: 1\n\n');
  expect(await sendAndRead({ BTCUSDT: 3 })).toEqual({ BTCUSDT: 3 });
  expect(told.map(({ BTCUSDT }) => BTCUSDT)).toEqual([2, 3]);
});

it.each<[string, (price: (rows: object, given?: { at: number }) => string) => string]>([
  ['lies ahead of now', (price) => price({ BTCUSDT: 200 }, { at: hour })],
  ['is no JSON', () => 'event: price\ndata: {"half\n\n'],
  ['is of another form', () => 'event: price\ndata: {"data":[]}\n\n'],
])(
  'what an event told that %s is not known: no price of before is of now, and all are asked for anew',
  async (_, eventOf) => {
    const { send, price, sendAndRead, asked, clock, cut } = await scripted();
    expect(await sendAndRead({ BTCUSDT: 100, ETHUSDT: 10 })).toEqual({ BTCUSDT: 100, ETHUSDT: 10 });
    send(eventOf(price as never));
    expect(await sendAndRead({ ETHUSDT: 11 })).toEqual({ ETHUSDT: 11 });
    cut();
    await vi.waitUntil(() => clock.advance(0).then(() => asked.length === 2), waiting);
    expect(asked).toEqual([undefined, undefined]);
  },
);

it('a stream of which an event was refused is left after a minute for one that tells everything', async () => {
  const { send, sendAndRead, asked, clock } = await scripted();
  const refusedAt = clock.now();
  send('event: price\ndata: 1\n\n');
  for (let seconds = 0; seconds < 60 && asked.length === 1; seconds += 4) {
    await sendAndRead();
    await clock.advance(4 * second);
  }
  await vi.waitUntil(() => clock.advance(0).then(() => asked.length === 2), waiting);
  expect(clock.now() - refusedAt).toBe(minute);
});

it.each([
  ['a price of 0', 0],
  ['a price below 0', -5],
  ['a text', '100'],
  ['nothing', null],
])('an odd row costs the price of its market alone: %s', async (_, odd) => {
  const { sendAndRead } = await scripted();
  await sendAndRead({ BTCUSDT: 100, ETHUSDT: 10 });
  expect(await sendAndRead({ BTCUSDT: odd, SOLUSDT: 5 })).toEqual({ ETHUSDT: 10, SOLUSDT: 5 });
});

it('what comes twice, or after what is newer, takes no price back', async () => {
  const { send, price, sendAndRead, clock, live } = await scripted();
  const [older, old] = [price({ BTCUSDT: 98, ETHUSDT: 10 }, { at: -2 }), price({ BTCUSDT: 99 }, { at: -1 })];
  await sendAndRead({ BTCUSDT: 100 });
  for (const event of [old, older, old]) send(event);
  expect(await sendAndRead()).toEqual({ BTCUSDT: 100, ETHUSDT: 10 });
  expect(live.now(['BTCUSDT'])?.at).toBe(clock.now());
});

it('an id that cannot be sent back is none, and the stream is listened to anew after its end', async () => {
  const { sendAndRead, asked, clock, cut } = await scripted();
  for (const id of ['☃-1-0', 'x'.repeat(100_000), 'a b']) {
    await sendAndRead({ BTCUSDT: 100 }, { id });
    const before = asked.length;
    cut();
    await vi.waitUntil(() => clock.advance(0).then(() => asked.length > before), waiting);
  }
  expect(asked.every((id) => id === undefined)).toBe(true);
});

it('prices are not of now when no new event of prices comes, whatever else comes, or while it connects', async () => {
  const { sendAndRead, send, asked, clock, live } = await scripted();
  await sendAndRead({ BTCUSDT: 100 });
  for (let seconds = 0; seconds < 5; seconds += 1) {
    expect(live.now(['BTCUSDT'])).toBeDefined();
    send('event: listing\ndata: {"data":[]}\n\n: still here\n\n');
    await clock.advance(second);
  }
  await vi.waitUntil(() => clock.advance(0).then(() => asked.length === 2), waiting);
  expect(live.now(['BTCUSDT'])).toBeUndefined();
});

it('a market that nobody has asked about for five minutes is not told of any more', async () => {
  const { live, paths, known, clock } = await scripted();
  const until = (isSo: () => boolean, step: number) =>
    vi.waitUntil(() => clock.advance(step).then(isSo), waiting);
  live.now(['ETHUSDT']);
  await until(() => paths.at(-1)?.includes('ETHUSDT') === true, second);
  known();
  await clock.advance(5 * minute);
  await until(() => paths.at(-1)?.includes('ETHUSDT') === false, 0);
});

it('an event of more than 4 MiB ends the connection, before its end', async () => {
  const { send, asked, clock } = await scripted();
  send(`data: ${'x'.repeat(5 * 1024 * 1024)}`);
  await vi.waitUntil(() => clock.advance(0).then(() => asked.length === 2), waiting);
});

it('prices that hold up to long ago are not of now', async () => {
  const { send, price, sendAndRead, live, told } = await scripted();
  send(price({ BTCUSDT: 100 }, { at: -hour }));
  send(price({}, { at: -hour }));
  await vi.waitUntil(() => told.length === 0 && live.now(['BTCUSDT']) === undefined, waiting);
  expect(await sendAndRead({ BTCUSDT: 101 })).toEqual({ BTCUSDT: 101 });
  expect(told).toHaveLength(1);
});

it('however many markets a service names, no more are kept than exchanges can list, and those known go on', async () => {
  const { send, price, sendAndRead, known } = await scripted();
  await sendAndRead({ BTCUSDT: 100 });
  for (let part = 0; part < 3; part += 1)
    send(price(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`A${part}N${at}`, 1]))));
  send(price({ ['X'.repeat(1_000)]: 1 }));
  expect((await sendAndRead({ BTCUSDT: 101 })).BTCUSDT).toBe(101);
  expect(Object.keys(known()).length).toBe(10_000);
});
