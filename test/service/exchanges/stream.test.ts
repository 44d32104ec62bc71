import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type WallClock, wallClock } from '#src/runtime/clock.ts';
import { hour } from '#src/runtime/units.ts';
import { keepStream, type StreamOptions } from '#src/service/exchanges/stream.ts';
import { type FakeClock, fakeClock } from '#test/support/clock.ts';
import { patience } from '#test/support/patience.ts';

let server: WebSocketServer;
let url: string;
let ending: AbortController;
let running: Promise<void>;
let events: string[];
/** By how much the stream's clock is ahead of the real one: silence and lifetime pass at once. */
let ahead: number;
let hurry: number;
let subscriptions: string[];
/** How many waits may be shortened: if several are waited for, only the first may end early. */
let jumps: number;
/** Messages in transit must arrive before a wait is shortened, however busy the machine is. */
let mayJump: () => boolean;

/** Real time for the sockets; waits of minutes in the stream end at once. */
const wall: WallClock = {
  now: () => Date.now() + ahead,
  sleep: async (ms, signal) => {
    if (ms <= hurry || jumps === 0) return wallClock.sleep(ms, signal);
    jumps -= 1;
    do await wallClock.sleep(hurry, signal);
    while (!mayJump());
    ahead += ms - hurry;
  },
};

const start = (
  onConnection: (socket: WebSocket, count: number) => void,
  { silence = 60_000, ...more }: Partial<StreamOptions> = {},
) => {
  let count = 0;
  server.on('connection', (socket) => {
    count += 1;
    events.push(`connected ${count}`);
    onConnection(socket, count);
  });
  running = keepStream({
    url,
    silence,
    wall,
    random: () => 0,
    signal: ending.signal,
    subscriptions: () => subscriptions,
    onMessage: (text) => events.push(text),
    onProblem: (problem) => events.push(problem),
    ...more,
  });
};
/** Sends a message and continues once it has arrived, because the answer to a ping follows it. */
const heardBy = (socket: WebSocket | undefined, text: string, then: () => void) => {
  socket?.send(text);
  socket?.once('pong', then);
  socket?.ping();
};
const until = async (event: string | RegExp) => {
  await expect
    .poll(() => events.find((entry) => entry.match(event)), { interval: 2, timeout: patience })
    .toBeDefined();
};

beforeEach(async () => {
  [events, ahead, hurry, jumps, mayJump] = [[], 0, 20, Number.POSITIVE_INFINITY, () => true];
  subscriptions = [];
  ending = new AbortController();
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/market/ws/!forceOrder@arr`;
});
afterEach(async () => {
  ending.abort();
  await running;
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

describe('a stream is kept alive', () => {
  it('a socket that acknowledges and then stays silent is given up and opened again', async () => {
    // The silence, and the check for a late message.
    jumps = 2;
    mayJump = () => events.includes('{"result":null,"id":1}');
    start((socket, count) => {
      if (count === 1) socket.send('{"result":null,"id":1}');
      else socket.send('event');
    });
    await until('event');
    expect(events.slice(0, 5)).toEqual([
      'connected 1',
      '{"result":null,"id":1}',
      'nothing heard for 60 s, though connected',
      'connected 2',
      'event',
    ]);
  });

  it('a closed socket is opened again and its reason reported', async () => {
    hurry = 60_000;
    start((socket, count) => (count === 1 ? socket.close(1012) : socket.send('event')));
    await until('event');
    expect(events).toEqual(['connected 1', 'the stream was closed (1012)', 'connected 2', 'event']);
  });

  it('a refused connection is tried again', async () => {
    hurry = 60_000;
    server.options.verifyClient = (_info, answer) => answer(events.length > 0, 503);
    start((socket) => socket.send('event'));
    await until('event');
    expect(events[0]).toMatch(/cannot be reached.*503/);
  });

  it('before 24 h a new socket is opened before the old one is closed, so that no message is lost', async () => {
    let first: WebSocket | undefined;
    jumps = 1;
    start(
      (socket, count) => {
        if (count === 1) {
          first = socket;
          socket.on('close', () => events.push('closed 1'));
          socket.send('event 1');
        } else {
          heardBy(first, 'event 2', () => socket.send('event 3'));
        }
      },
      { silence: 48 * hour },
    );
    await until('closed 1');
    expect(events).toEqual(['connected 1', 'event 1', 'connected 2', 'event 2', 'event 3', 'closed 1']);
  });

  it('a successor that fails is tried again while the old one continues', async () => {
    let first: WebSocket | undefined;
    jumps = 1;
    start(
      (socket, count) => {
        if (count === 1) {
          first = socket;
          socket.send('event 1');
        } else if (count === 2) socket.close(1012);
        else {
          heardBy(first, 'event 2', () => socket.send('event 3'));
        }
      },
      { silence: 48 * hour },
    );
    await until('event 3');
    expect(events.toSorted()).toEqual(
      ['connected 1', 'connected 2', 'connected 3', 'event 1', 'event 2', 'event 3'].toSorted(),
    );
  });

  it('a socket that closes before its successor is open is an interruption', async () => {
    let first: WebSocket | undefined;
    let accept: (() => void) | undefined;
    jumps = 1;
    server.options.verifyClient = (_info, answer) => {
      if (first === undefined || accept !== undefined) return answer(true);
      accept = () => answer(true);
      first.close(1012);
    };
    start(
      (socket, count) => {
        if (count === 1) first = socket;
        socket.send(`event ${count}`);
      },
      { silence: 48 * hour },
    );
    await until(/closed/);
    accept?.();
    await until('event 2');
    expect(events).toEqual([
      'connected 1',
      'event 1',
      'the stream was closed (1012)',
      'connected 2',
      'event 2',
    ]);
  });

  it('a subscription that is wanted later is sent on the open socket, and none is sent twice', async () => {
    jumps = 1;
    mayJump = () => events.includes('event');
    subscriptions = ['a'];
    start(
      (socket, count) =>
        socket.on('message', (text) => {
          events.push(`${text} on ${count}`);
          subscriptions = ['b', 'a'];
          socket.send('event');
        }),
      { silence: 48 * hour },
    );
    await until('b on 1');
    expect(events.filter((event) => event.endsWith(' on 1'))).toEqual(['a on 1', 'b on 1']);
  });

  describe('where events may be rare, the answers to pings decide', () => {
    let clock: FakeClock;
    let rare: Partial<StreamOptions>;
    beforeEach(() => {
      subscriptions = ['a'];
      clock = fakeClock();
      rare = {
        silence: Infinity,
        wall: clock,
        ping: { every: 20_000, text: 'ping' },
        onMessage(text) {
          events.push(text);
          return false;
        },
      };
    });

    it('a socket that answers them is kept, for hours without an event', async () => {
      start((socket) => socket.on('message', (text) => socket.send(`${text} answered`)), rare);
      await until('a answered');
      for (let pings = 1; pings <= 200; pings += 1) {
        await clock.advance(20_000);
        const pongs = () => events.filter((event) => event === 'ping answered').length;
        await expect.poll(pongs, { interval: 1, timeout: patience }).toBe(pings);
      }
      expect(events.filter((event) => event !== 'ping answered')).toEqual(['connected 1', 'a answered']);
    });

    it('a socket that stops to answer them is given up after a minute and opened again', async () => {
      start((socket) => socket.on('message', (text) => text.toString() === 'a' && socket.send('b')), rare);
      await until('b');
      await clock.advance(59_999);
      expect(events).toEqual(['connected 1', 'b']);
      await clock.advance(1_000);
      await until('connected 2');
      expect(events.slice(2, 4)).toEqual(['nothing heard for 60 s, though connected', 'connected 2']);
    });
  });

  describe('a ping without a text is the protocol’s own', () => {
    const own = (clock: FakeClock) => ({ silence: hour, wall: clock, ping: { every: 20_000 } });
    beforeEach(() => {
      subscriptions = ['a'];
    });

    it('a socket that answers it is kept', async () => {
      const clock = fakeClock();
      start((socket) => {
        socket.on('message', () => events.push('opened'));
        // The answer to this ping shows that the answer to the stream's ping has arrived before.
        socket.on('ping', () => socket.ping());
        socket.on('pong', () => events.push('heard'));
      }, own(clock));
      await until('opened');
      for (let pings = 1; pings <= 9; pings += 1) {
        await clock.advance(20_000);
        const heard = () => events.filter((event) => event === 'heard').length;
        await expect.poll(heard, { interval: 1, timeout: patience }).toBe(pings);
      }
      expect(events.filter((event) => event !== 'heard')).toEqual(['connected 1', 'opened']);
    });

    it('a socket that does not is given up after a minute', async () => {
      const clock = fakeClock();
      server.options.autoPong = false;
      start((socket) => socket.on('message', () => events.push('opened')), own(clock));
      await until('opened');
      await clock.advance(61_000);
      await until('connected 2');
      expect(events.slice(2, 4)).toEqual(['nothing heard for 60 s, though connected', 'connected 2']);
    });
  });

  it('stopping ends the stream, whatever it is waiting for', async () => {
    hurry = 60_000;
    start(() => {});
    await until('connected 1');
    ending.abort();
    await running;
    expect(events).toEqual(['connected 1']);
  });
});
