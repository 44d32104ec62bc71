import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEvents, type Events, type Opening } from '#src/platforms/web/events.ts';
import { readEvents } from '#test/support/events.ts';

/** How many messages are stored for clients that come back. */
const stored = 256;

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(options: Partial<Parameters<typeof createEvents>[0]> = {}) {
  const beats: (() => void)[] = [];
  const clock = { now: () => 1_000, sleep: () => new Promise<void>((resolve) => beats.push(resolve)) };
  const events: Events = createEvents({
    clock,
    recent: async () => ['{"id":"old"}'],
    opening: async () => [],
    ...options,
  });
  const server = createServer(async (request, response) => {
    const last = request.headers['last-event-id'];
    const query = new URL(request.url ?? '/', 'http://x').searchParams;
    const taken = await events.open(response, {
      room: query.get('room') ?? 'main',
      language: 'en',
      timeZone: 'UTC',
      lastEventId: typeof last === 'string' ? last : undefined,
      session: query.get('session') ?? undefined,
      isOperator: query.get('role') === 'operator' || query.get('role') === null,
      mayStill: query.get('role') === 'member' ? async () => true : undefined,
    });
    if (!taken) response.writeHead(503).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    events.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const connect = async (path = '', lastEventId?: string) => {
    const stream = await readEvents(url + path, lastEventId);
    open.push(stream.close);
    return stream;
  };
  return { events, connect, beat: () => beats.shift()?.() };
}

describe('server-sent events', () => {
  it('send a new client a snapshot of the past, then new messages', async () => {
    const { events, connect } = await serve();
    const stream = await connect();
    expect(await stream.next()).toMatchObject({ event: 'snapshot', data: '[{"id":"old"}]' });
    events.publish('main', '{"id":"new"}');
    expect(await stream.next()).toMatchObject({ event: 'message', data: '{"id":"new"}' });
  });

  it('neither miss nor repeat a message published while the past is read', async () => {
    const reading = Promise.withResolvers<readonly string[]>();
    const asked = Promise.withResolvers<void>();
    const { events, connect } = await serve({
      recent: () => {
        asked.resolve();
        return reading.promise;
      },
    });
    const stream = connect();
    await asked.promise;
    events.publish('main', '1');
    reading.resolve([]);
    const { next } = await stream;
    events.publish('main', '2');
    expect([(await next()).event, (await next()).data, (await next()).data]).toEqual(['snapshot', '1', '2']);
  });

  it('send a returning client what it missed and no snapshot', async () => {
    const { events, connect } = await serve();
    const first = await connect();
    await first.next();
    events.publish('main', '1');
    const { id } = await first.next();
    first.close();
    events.publish('main', '2');
    events.publish('main', '3');
    const again = await connect('', id);
    expect([(await again.next()).data, (await again.next()).data]).toEqual(['2', '3']);
  });

  it.each([
    ['of an earlier process', 'zzz-1'],
    ['of the future', `${(1_000).toString(36)}-999`],
    ['that is forgotten', `${(1_000).toString(36)}-1`],
    ['that is none', '../../etc'],
  ])('send a snapshot for an id %s', async (_case, id) => {
    const { events, connect } = await serve();
    for (let n = 1; n <= stored + 2; n += 1) events.publish('main', String(n));
    const stream = await connect('', id);
    expect((await stream.next()).event).toBe('snapshot');
  });

  it('send a snapshot again if the stream broke before it', async () => {
    const opening: Opening[] = [
      { event: 'hello', data: '{}' },
      { event: 'board', data: '{}' },
    ];
    const { events, connect } = await serve({ opening: async () => opening });
    const first = await connect();
    let id: string | undefined;
    for (const { event } of opening) {
      const state = await first.next();
      expect(state.event).toBe(event);
      id = state.id ?? id;
    }
    first.close();
    const again = await connect('', id);
    events.publish('main', '1');
    const seen = [await again.next(), await again.next(), await again.next(), await again.next()];
    expect(seen.map(({ event }) => event)).toEqual(['hello', 'board', 'snapshot', 'message']);
  });

  it.each([
    ['new', undefined],
    ['returning', `${(1_000).toString(36)}-1`],
  ])('send a %s client a new snapshot if messages were forgotten while the state was read', async (_, id) => {
    const published: string[] = [];
    let isFirst = true;
    const { events, connect } = await serve({
      recent: async () => published.map((each) => JSON.stringify(each)),
      opening: async () => {
        if (isFirst) for (let n = 2; n <= stored + 3; n += 1) publish(String(n));
        isFirst = false;
        return [];
      },
    });
    const publish = (each: string) => {
      published.push(each);
      events.publish('main', JSON.stringify(each));
    };
    publish('1');
    const stream = await connect('', id);
    publish('the next');
    expect(JSON.parse((await stream.next()).data ?? '')).toHaveLength(stored + 3);
    expect((await stream.next()).data).toBe('"the next"');
  });

  it('stay within one room', async () => {
    const { events, connect } = await serve();
    const stream = await connect('?room=other');
    await stream.next();
    events.publish('main', '1');
    events.publish('other', '2');
    expect((await stream.next()).data).toBe('2');
  });

  it('contain a regular beat that shows the connection is alive', async () => {
    const { connect, beat } = await serve();
    const stream = await connect();
    await stream.next();
    beat();
    expect((await stream.next()).event).toBe('beat');
  });

  it('are refused to one client too many, until another one has left', async () => {
    const { connect } = await serve();
    const first = await connect();
    await first.next();
    for (let more = 1; more < 64; more += 1) expect((await connect()).status).toBe(200);
    expect((await connect()).status).toBe(503);
    first.close();
    await expect.poll(async () => (await connect()).status).toBe(200);
  });

  it('end for a client that does not read, and others are not delayed', async () => {
    const { events, connect } = await serve();
    const slow = await connect();
    await slow.next();
    slow.pause();
    const quick = await connect();
    await quick.next();
    const data = JSON.stringify('x'.repeat(512 * 1_024));
    for (let n = 0; n < 40; n += 1) {
      events.publish('main', data);
      expect((await quick.next()).data).toHaveLength(data.length);
    }
    // Data that the kernel had accepted before the drop is still to be read; the end comes after it.
    slow.resume();
    await slow.closed;
  });
});

describe('streams of the page', () => {
  const count = 16;
  async function statusesOf() {
    const { connect } = await serve();
    return async (role: string, sessions: readonly string[]) => {
      const found: number[] = [];
      for (const session of sessions) found.push((await connect(`?role=${role}&session=${session}`)).status);
      return found;
    };
  }
  const times = (session: string, n: number) => Array.from({ length: n }, () => session);
  const taken = (n: number) => Array.from({ length: n }, () => 200);

  it('leave places for operators, and one session cannot hold them all', async () => {
    const statuses = await statusesOf();
    expect(await statuses('viewer', times('a', count + 1))).toEqual([...taken(count), 503]);
    expect(await statuses('viewer', [...times('b', count), ...times('c', count), 'd'])).toEqual([
      ...taken(2 * count),
      503,
    ]);
    expect(await statuses('operator', [...times('o', count), 'p'])).toEqual([...taken(count), 503]);
  });

  it('are held by members up to half of them, and by one member up to four', async () => {
    const statuses = await statusesOf();
    expect(await statuses('member', times('a', 5))).toEqual([...taken(4), 503]);
    const others = ['b', 'c', 'd', 'e', 'f', 'g', 'h'].flatMap((each) => times(each, 4));
    expect(await statuses('member', [...others, 'i'])).toEqual([...taken(28), 503]);
    expect(await statuses('viewer', ['v'])).toEqual([200]);
  });

  it('that open at the same time are counted like those that open in turn', async () => {
    const { connect } = await serve();
    const all = await Promise.all(Array.from({ length: count + 5 }, () => connect('?role=viewer&session=a')));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(count);
  });
});
