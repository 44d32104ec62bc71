import { expect, it } from 'vitest';
import type { Listener } from '#src/platforms/web/events.ts';
import { createRooms } from '#src/platforms/web/rooms.ts';
import { second } from '#src/runtime/units.ts';
import { fakeClock } from '#test/support/clock.ts';
import { memoryMessages } from '#test/support/messages.ts';

const page = (room: string): Listener => ({ room, language: 'en', timeZone: 'UTC' });

/** Pages of one process; another process puts messages into the same store. */
function twoProcesses() {
  const own = memoryMessages();
  const clock = fakeClock();
  const published: string[] = [];
  const open: Listener[] = [];
  const put: ((room: string, body: string) => void)[] = [];
  const rooms = createRooms(
    { shared: true, recent: own.recent, onPut: (listener) => void put.push(listener) },
    3,
  );
  const loop = rooms.start(
    { publish: (room, body) => void published.push(`${room}: ${body}`), listeners: () => open },
    {
      wall: clock,
      onError: (error) => {
        throw error;
      },
    },
  );
  const other = (id: string, body: string, room = 'a') => own.put({ id, room, body });
  const here = async (id: string, body: string, room = 'a') => {
    await own.put({ id, room, body });
    for (const each of put) each(room, body);
  };
  return { rooms, clock, published, open, other, here, stop: () => loop.stop() };
}

it('a page gets what another process stores and changes, what its own stores at once, and nothing twice', async () => {
  const { rooms, clock, published, open, other, here, stop } = twoProcesses();
  await other('1', 'before');
  expect(await rooms.recent('a')).toEqual(['before']);
  open.push(page('a'));
  await clock.advance(2 * second);
  expect(published).toEqual([]);
  await other('2', 'fires');
  await other('9', 'of another room', 'b');
  await clock.advance(2 * second);
  await other('2', 'is over');
  await here('3', 'answered here');
  expect(published).toEqual(['a: fires', 'a: answered here']);
  await clock.advance(6 * second);
  expect(published).toEqual(['a: fires', 'a: answered here', 'a: is over']);
  await stop();
});

it('a page that was closed for a while gets only what it lacks, if it comes back to this process', async () => {
  const { rooms, clock, published, open, other, here, stop } = twoProcesses();
  await rooms.recent('a');
  open.push(page('a'));
  await clock.advance(2 * second);
  open.pop();
  await here('1', 'while it was closed');
  for (let n = 2; n < 20; n += 1) await other(String(n), `from the other ${n}`);
  await clock.advance(2 * second);
  open.push(page('a'));
  await clock.advance(2 * second);
  expect(published).toEqual(['a: while it was closed', ...[17, 18, 19].map((n) => `a: from the other ${n}`)]);
  await stop();
});

it('of the rooms that no page has open the last 64 are remembered', async () => {
  const { rooms, clock, published, open, other, stop } = twoProcesses();
  for (let n = 0; n <= 64; n += 1) {
    await other(String(n), 'seen', `r${n}`);
    await rooms.recent(`r${n}`);
  }
  await clock.advance(2 * second);
  open.push(page('r0'), page('r1'));
  await clock.advance(2 * second);
  expect(published).toEqual(['r0: seen']);
  await stop();
});
