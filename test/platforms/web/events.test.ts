import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEvents, type Events, type Opening } from '#src/platforms/web/events.ts';
import { readEvents } from '#test/support/events.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(options: Partial<Parameters<typeof createEvents>[0]> = {}) {
  const beats: (() => void)[] = [];
  const clock = { now: () => 1_000, sleep: () => new Promise<void>((resolve) => beats.push(resolve)) };
  const events: Events = createEvents({ clock, recent: async () => ['{"id":"old"}'], ...options });
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
    ['of the future', `${(1_000).toString(36)}-99`],
    ['that is forgotten', `${(1_000).toString(36)}-1`],
    ['that is none', '../../etc'],
  ])('send a snapshot for an id %s', async (_case, id) => {
    const { events, connect } = await serve({ maxStored: 2 });
    for (const data of ['1', '2', '3', '4']) events.publish('main', data);
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
      maxStored: 2,
      recent: async () => published.map((each) => JSON.stringify(each)),
      opening: async () => {
        if (isFirst) for (const each of ['2', '3', '4', '5']) publish(each);
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
    publish('6');
    expect((await stream.next()).data).toBe('["1","2","3","4","5"]');
    expect((await stream.next()).data).toBe('"6"');
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
    const { connect } = await serve({ maxClients: 1 });
    const first = await connect();
    await first.next();
    expect((await connect()).status).toBe(503);
    first.close();
    await expect.poll(async () => (await connect()).status).toBe(200);
  });

  it('end for a client that does not read, and others are not delayed', async () => {
    const { events, connect } = await serve({ maxBuffered: 64 * 1_024 });
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
  it('leave places for operators, and one session cannot hold them all', async () => {
    const { connect } = await serve({ maxClients: 6, keptForOperators: 2, maxOfSession: 3 });
    const statuses = async (role: string, sessions: readonly string[]) => {
      const found: number[] = [];
      for (const session of sessions) found.push((await connect(`?role=${role}&session=${session}`)).status);
      return found;
    };
    expect(await statuses('viewer', ['a', 'a', 'a', 'a'])).toEqual([200, 200, 200, 503]);
    expect(await statuses('viewer', ['b', 'c'])).toEqual([200, 503]);
    expect(await statuses('operator', ['o', 'o', 'o'])).toEqual([200, 200, 503]);
  });

  it('are held by members up to half of them, and by one member up to four', async () => {
    const { connect } = await serve({ maxClients: 12, keptForOperators: 2 });
    const statuses: number[] = [];
    for (const session of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'])
      statuses.push((await connect(`?role=member&session=${session}`)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 503, 200, 200, 503]);
    expect((await connect('?role=viewer&session=v')).status).toBe(200);
  });

  it('that open at the same time are counted like those that open in turn', async () => {
    const { connect } = await serve({ maxClients: 6, keptForOperators: 2, maxOfSession: 3 });
    const all = await Promise.all(Array.from({ length: 8 }, () => connect('?role=viewer&session=a')));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3);
  });
});
