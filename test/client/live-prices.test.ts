import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { keepLivePrices } from '#src/client/live-prices.ts';
import { realTime, steadyClock, wallClock } from '#src/runtime/clock.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { createPriceTable } from '#src/service/collecting/price-table.ts';
import { createPriceStream } from '#src/service/http/stream.ts';
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
    stream.open(response, request.headers['last-event-id']?.toString());
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
    priceOf: (symbol: string) => live.now()?.prices.get(symbol)?.price,
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

it('prices that the service calls stale, or that nothing is believed of, are not of now', async () => {
  const { tell, table, live, disbelieve, priceOf } = await connected();
  tell({ BTCUSDT: 100 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 100, waiting);
  table.setStale(true);
  await vi.waitUntil(() => live.now() === undefined, waiting);
  tell({ BTCUSDT: 101 });
  await vi.waitUntil(() => priceOf('BTCUSDT') === 101, waiting);
  disbelieve('its time has gone back');
  expect(live.now()).toBeUndefined();
});

it('what is told of later than now is refused, and does not hold up what follows', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (at: number, price: number) => {
      const data = [{ symbol: 'BTCUSDT', price, timestamp: iso(at) }];
      response.write(
        `id: a-1-0\nevent: price\ndata: ${JSON.stringify({ timestamp: iso(at), stale: false, data })}\n\n`,
      );
    };
    send(Date.now() + hour, 1);
    send(Date.now(), 2);
    response.write('event: price\ndata: {"half\n\nevent: other\ndata: 1\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const http = new Agent();
  const told: number[] = [];
  const live = keepLivePrices({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ apiKey: null, http, wall: wallClock, steady: steadyClock },
    market: () => realTime(wallClock),
    isOffered: () => true,
    doubt: () => undefined,
    random: () => 0,
  });
  onTestFinished(async () => {
    await live.stop();
    await http.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  live.onChange(() => void told.push(live.now()?.prices.get('BTCUSDT')?.price ?? 0));
  await vi.waitUntil(() => told.length > 0, waiting);
  expect(told).toEqual([2]);
});
