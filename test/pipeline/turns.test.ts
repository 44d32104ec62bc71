import { expect, it } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection } from '#src/platforms/notifier.ts';
import { createPace, type PaceLimits } from '#src/runtime/pace.ts';
import { isCalledOff } from '#src/runtime/send-check.ts';
import { minute, second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { type PipelineFixture, recorder } from '#test/support/pipeline.ts';

let f: PipelineFixture;

/** Creates a platform whose rooms `topic …` share one pace. */
async function fixture(limits: PaceLimits, respond: Parameters<typeof recorder>[0] = () => {}) {
  const clock = fakeClock(start);
  const { sent, connection } = recorder(respond);
  const paceKey = ({ room }: { room?: string | number }) =>
    String(room).startsWith('topic') ? 'forum' : String(room);
  const outlet = { name: 'web', connection, concurrency: 64, pace: createPace(limits, clock), paceKey };
  f = await ownPipeline({ outlets: [outlet], clock });
  const subscribe = async (...rooms: readonly string[]) => {
    for (const room of rooms) await f.subscribe({ receiver: receiver(room) });
  };
  return { clock, sent, subscribe, rooms: () => sent.map(({ room }) => room) };
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`);
const onePerSecond: PaceLimits = {
  perAddress: [{ per: 1.1 * second, max: 1, appliesTo: (place) => place === 'forum' }],
};

it('a forum with 100 topics gets exactly 100 posts, at its own pace', async () => {
  const { clock, rooms, subscribe } = await fixture(onePerSecond);
  const topics = numbered('topic', 100);
  await subscribe(...topics);
  await f.report([change()]);
  await clock.advance(60 * second);
  expect(rooms()).toHaveLength(55);
  await clock.advance(80 * second);
  expect(rooms().sort()).toEqual(topics.sort());
});

it('everything is sent under the lease of the process that delivers', async () => {
  const clock = fakeClock(start);
  const { connection } = recorder();
  const leases: unknown[] = [];
  const outlet = {
    name: 'web',
    concurrency: 8,
    pace: createPace({}, clock),
    connection: {
      send(...[notification, given]) {
        leases.push(given.lease);
        return connection.send(notification, given);
      },
      async edit(_, { lease }) {
        leases.push(lease);
        return null;
      },
    } satisfies Connection,
  };
  f = await subscribed({}, { outlets: [outlet], clock });
  await f.report([change()]);
  await f.report([change({ status: 'resolved' })]);
  // The beginning, an edit that finds no message, the post in its place, and the message that it replaces.
  expect(leases).toEqual(Array(4).fill({ role: 'deliver:web', token: 1 }));
});

it('a process that pauses, or whose clock jumps, sends nothing twice', async () => {
  const answered = Promise.withResolvers<void>();
  const { clock, sent, rooms, subscribe } = await fixture({}, () => answered.promise);
  const all = numbered('chat', 50);
  await subscribe(...all);
  await f.report([change()]);
  await clock.advance(125 * second);
  await f.skip(10 * minute);
  expect(sent).toEqual([]);
  answered.resolve();
  await clock.advance(minute);
  expect(rooms().sort()).toEqual(all.sort());
});

it('a wall clock that is set back by an hour delays nothing', async () => {
  const clock = fakeClock(start);
  let off = 0;
  f = await ownPipeline({ clock, wall: { ...clock, now: () => clock.now() + off }, now: clock.now });
  for (const name of ['a', 'b']) await f.subscribe({ receiver: receiver(name) });
  await f.report([change()]);
  off = -60 * minute;
  await f.report([change({ symbol: 'ETHUSDT' })]);
  await clock.advance(second);
  expect(f.sent).toHaveLength(4);
});

it('a chat that is served anew for something urgent gets each post once, even if its earlier turn comes first', async () => {
  const clock = fakeClock(start);
  let lag = 0;
  const late = { now: () => clock.now() + lag, sleep: clock.sleep };
  const { sent, connection } = recorder();
  const pace = createPace({ total: { per: second, max: 3 } }, late);
  f = await ownPipeline({ outlets: [{ name: 'web', connection, concurrency: 64, pace }], clock });
  for (const room of numbered('chat', 5)) await f.subscribe({ receiver: receiver(room) });
  await f.report([change()]);
  expect(sent).toHaveLength(3);
  // The turns are due, but the event loop has not come to the timer that gives them.
  lag = second;
  await f.report([change({ symbol: 'ETHUSDT', severity: 'critical' })]);
  expect(sent).toHaveLength(6);
  await clock.advance(10 * second);
  const posts = sent.map(({ room, notification }) => `${room}: ${notification.card.title}`);
  expect(posts).toHaveLength(10);
  expect(new Set(posts).size).toBe(10);
});

it('a post that waits for its turn when an operator pauses sending is sent once that is over', async () => {
  const { clock, rooms, subscribe } = await fixture({ total: { per: second, max: 1 } });
  await subscribe('a', 'b');
  await f.report([change()]);
  await f.store.sending.pause({ by: 'op', at: start });
  await clock.advance(minute);
  expect(rooms()).toEqual(['a']);
  await f.store.sending.resume();
  await clock.advance(second);
  expect(rooms()).toEqual(['a', 'b']);
});

/** What lets a lease expire unnoticed: the clock that shows it. The steady clock stands still while the machine sleeps. */
const pauses = [
  ['the process hangs', 'steady'],
  ['the machine sleeps', 'wall'],
] as const;

it.each(pauses)(
  'a post begun when the lease expired is sent only after the lease was acquired again: %s',
  async (_, which) => {
    const clock = fakeClock(start);
    let ahead = 0;
    // The process pauses between the decision and the sending.
    const source = () => {
      ahead = minute;
      return 'simulated';
    };
    const shown = { [which]: { ...clock, now: () => clock.now() + ahead } };
    f = await subscribed({}, { clock, source, ...shown, ttl: 8 * second });
    await f.report([change()]);
    expect(f.sent).toEqual([]);
    await clock.advance(5 * second);
    expect(f.sent).toHaveLength(1);
    const [one] = await f.store.deliveries.recent(receiver(), 5);
    expect(one).toMatchObject({ outcome: 'sent', reason: null });
  },
);

it.each(pauses)(
  'a post whose picture is being drawn when the lease expires is called off and sent later: %s',
  async (_, which) => {
    const clock = fakeClock(start);
    let ahead = 0;
    const off: boolean[] = [];
    const { sent, connection } = recorder();
    const drawing: typeof connection = {
      ...connection,
      async send(notification, { address, signal }) {
        if (ahead === 0) ahead = minute;
        off.push(isCalledOff(signal));
        if (isCalledOff(signal))
          throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, 'called off');
        return connection.send(notification, { address, signal });
      },
    };
    const shown = { [which]: { ...clock, now: () => clock.now() + ahead } };
    f = await subscribed({}, { clock, connection: drawing, ...shown, ttl: 8 * second });
    await f.report([change()]);
    await clock.advance(5 * second);
    expect([off, sent.length]).toEqual([[true, false], 1]);
  },
);

it('250 topics of one forum do not delay other chats', async () => {
  const { clock, rooms, subscribe } = await fixture(onePerSecond);
  await subscribe(...numbered('topic', 250));
  await f.report([change({ symbol: 'ETHUSDT' })]);
  await subscribe(...numbered('chat', 60));
  await f.report([change()]);
  await clock.advance(2 * second);
  expect(rooms().filter((room) => room.startsWith('chat'))).toHaveLength(60);
});

it('a look at the queue asks about as many chats as can be served, however many wait', async () => {
  const clock = fakeClock(start);
  let asked = 0;
  const { sent, connection } = recorder();
  const pace = createPace({ total: { per: second, max: 1 } }, clock);
  const paceKey = ({ room }: { room?: string | number }) => {
    asked += 1;
    return String(room);
  };
  f = await ownPipeline({ outlets: [{ name: 'web', connection, concurrency: 8, pace, paceKey }], clock });
  for (const room of numbered('chat', 1_000)) await f.subscribe({ receiver: receiver(room) });
  await f.report([change()]);
  await clock.advance(10 * second);
  expect(sent.length).toBeGreaterThanOrEqual(10);
  expect(asked).toBeLessThan(1_000);
});

it('chats and topics that hang do not delay other chats', async () => {
  const hanging = Promise.withResolvers<void>();
  const { clock, rooms, subscribe } = await fixture({}, ({ room }) =>
    room.startsWith('topic') || room.startsWith('hanging') ? hanging.promise : undefined,
  );
  await subscribe(...numbered('topic', 64), ...numbered('hanging', 30));
  await f.report([change({ symbol: 'ETHUSDT' })]);
  await subscribe(...numbered('chat', 60));
  await f.report([change()]);
  await clock.advance(2 * second);
  expect(rooms().filter((room) => room.startsWith('chat'))).toHaveLength(60);
  hanging.resolve();
});

it('an alert that becomes urgent while it waits is sent before those that have waited longer', async () => {
  const { clock, sent, subscribe } = await fixture({ total: { per: second, max: 2 } });
  await subscribe(...numbered('chat', 60));
  await f.report([change()]);
  await f.subscribe({ receiver: receiver('late') });
  await f.report([change({ symbol: 'ETHUSDT', severity: 'critical' })]);
  await clock.advance(32 * second);
  const titles = sent.map(({ notification }) => notification.card.title);
  const urgent = titles.flatMap((title, at) => (title.startsWith('ETH') ? [at] : []));
  expect(urgent).toHaveLength(61);
  expect(Math.max(...urgent)).toBeLessThan(61 + 6);
});

it('a turn that a silenced message does not use goes to the next one', async () => {
  const { clock, rooms, subscribe } = await fixture({ total: { per: second, max: 5 } });
  const silent = numbered('a silent chat', 200);
  await subscribe(...silent);
  for (const room of [...silent, 'other'])
    await f.store.silences.add(silence({ symbols: ['BTCUSDT'], receiver: receiver(room) }));
  await subscribe('other');
  await f.report([change()]);
  await f.report([change({ symbol: 'ETHUSDT', severity: 'info' })]);
  await clock.advance(45 * second);
  expect(rooms()).toHaveLength(201);
});
