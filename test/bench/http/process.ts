/** The measured process: the data service's HTTP over a filled archive, and beside it a route that only sends bytes. */
import type { AddressInfo, Server } from 'node:net';
import Fastify from 'fastify';
import { pino } from 'pino';
import { openDatabase } from '#src/database/open.ts';
import { marketClock, wallClock } from '#src/runtime/clock.ts';
import { createCredential } from '#src/runtime/credential.ts';
import { second } from '#src/runtime/units.ts';
import { createAccess } from '#src/service/access/access.ts';
import { createLogin } from '#src/service/access/login.ts';
import { createPasswords } from '#src/service/access/password.ts';
import { accessStoreIn } from '#src/service/access/store.ts';
import { migrations } from '#src/service/archive/migrations.ts';
import { answerWith } from '#src/service/handlers/handler.ts';
import { feedsOf, handlers } from '#src/service/handlers/index.ts';
import { createBodies } from '#src/service/http/bodies.ts';
import { createMetrics } from '#src/service/http/metrics.ts';
import { createServer } from '#src/service/http/server.ts';
import { contextAt, filledArchive, now } from '#test/service/fixture.ts';

/** The message of the process once it listens: both ports, and the API key. */
export interface Listening {
  readonly ours: number;
  readonly bare: number;
  readonly key: string;
}
/** The response to any message, after a forced collection; bytes. */
export interface Memory {
  readonly heap: number;
  readonly resident: number;
}

const paths: readonly string[] = JSON.parse(process.argv[2] ?? '[]');
const archive = await filledArchive();
const store = accessStoreIn(await openDatabase<unknown>('file::memory:', { migrations }));
const { text: key, id, digest } = createCredential('tocsin');
await store.addKey({ id, digest, name: '', requestLimit: null, createdAt: 0, revokedAt: null });

const steady = { now: () => performance.now() };
const clock = marketClock(wallClock, { market: now, wall: wallClock.now(), speed: 1 });
const server = createServer({
  bodies: createBodies({
    clock,
    feedsOf,
    build: async (name, query) =>
      answerWith(handlers[name], { query, context: await contextAt(archive, clock.now()) }),
  }),
  access: createAccess({ store, wall: wallClock }),
  login: createLogin({ store, passwords: createPasswords(), wall: wallClock, steady }),
  // The limits exceed the requests of a second, so that requests are counted but none is refused.
  limits: { window: 1 * second, anonymous: 50_000, key: 50_000 },
  trustedProxies: [],
  clock,
  wall: wallClock,
  steady,
  ready: () => true,
  progress: () => 1,
  stale: () => false,
  ping: () => archive.ping(),
  metrics: createMetrics(),
  log: pino({ level: 'silent' }),
});

const bare = Fastify();
for (const path of paths) {
  const { rawPayload } = await server.inject({ url: path, headers: { 'x-api-key': key } });
  bare.get(path.split('?')[0] ?? '', (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(rawPayload),
  );
}
for (const each of [server, bare]) await each.listen({ host: '127.0.0.1', port: 0 });
const portOf = (app: { readonly server: Server }) => (app.server.address() as AddressInfo).port;

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, resident: rss } satisfies Memory);
});
process.on('disconnect', () => process.exit());
process.send?.({
  ours: portOf(server),
  bare: portOf(bare),
  key,
} satisfies Listening);
