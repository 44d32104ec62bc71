import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { listen } from '#src/platforms/telegram/webhook.ts';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { slowRequests } from '#src/runtime/slow-requests.ts';
import { second } from '#src/runtime/units.ts';
import { interfaceLimits } from '#src/service/access/limit.ts';
import { feedsOf } from '#src/service/handlers/index.ts';
import { createBodies } from '#src/service/http/kept-bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { createServer } from '#src/service/http/server.ts';
import { startConsole } from '#test/support/console.ts';

const secret = 'of the webhook';
const log = pino({ enabled: false });
const clock = realTime(wallClock);
interface Opened {
  readonly port: number;
  readonly path: string;
  close(): Promise<void>;
}
const servers: Readonly<Record<string, () => Promise<Opened>>> = {
  async 'the console'() {
    const { url, close } = await startConsole();
    return { port: Number(new URL(url).port), path: '/api/commands', close };
  },
  async 'Telegram’s webhook'() {
    const given = { url: 'https://bot.example/hook', host: '127.0.0.1', port: 0, secret };
    const { port, close } = await listen({ ...given, accept: async () => {}, log });
    return { port, path: '/hook', close };
  },
  async 'the data service'() {
    const server = createServer({
      clock,
      wall: wallClock,
      steady: clock,
      trustedProxies: [],
      limits: interfaceLimits,
      metrics: createMetrics(),
      log,
      bodies: createBodies({ clock, feedsOf, build: () => Promise.reject(new Error('nothing is asked')) }),
      access: () => ({ kind: 'anonymous' }),
      login: async () => ({ kind: 'refused' }),
      ready: () => true,
      progress: () => 1,
      stale: () => false,
      ping: async () => {},
    });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    return { port: Number(new URL(url).port), path: '/api/auth/login', close: () => server.close() };
  },
};

/**
 * Returns how many drips of a slow request the server tolerates, of which one comes each second. They are counted, not timed: where
 * the machine is so busy that the server looks late, the drips are as late.
 */
async function patience(port: number, head: string, drip: string): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = Promise.withResolvers<void>();
  // What was not read of the request may reset the connection, which ends it as well.
  socket.on('error', () => {}).on('close', () => closed.resolve());
  let drips = 0;
  socket.write(head);
  const dripping = setInterval(() => {
    drips += 1;
    socket.write(drip);
  }, second);
  socket.resume();
  await closed.promise;
  clearInterval(dripping);
  return drips;
}

const drips = [
  ['a body', 'content-type: application/json\r\ncontent-length: 4000\r\n\r\n{', ' '],
  ['a head', 'x-slow: ', 'x'],
] as const;

// The tests run concurrently, because each waits for the real limit. Each has its own server, because a closing server no
// longer looks for slow requests.
describe('a request that is sent very slowly is ended after 10 s', () => {
  it('by Node.js, which checks every second', () => {
    const [requestTimeout, headersTimeout] = [10 * second, 10 * second];
    expect(slowRequests).toEqual({ requestTimeout, headersTimeout, connectionsCheckingInterval: second });
  });

  it.concurrent.for(
    Object.entries(servers).flatMap(([name, open]) =>
      drips.map(([what, rest, drip]) => [name, what, { open, rest, drip }] as const),
    ),
  )('%s: %s', async ([, , { open, rest, drip }], { expect, onTestFinished }) => {
    const { port, path, close } = await open();
    onTestFinished(close);
    const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-telegram-bot-api-secret-token: ${secret}\r\n`;
    // With Node's own interval of 30 s the request could last up to 40 s.
    expect(await patience(port, head + rest, drip)).toBeLessThan(25);
  });
});
