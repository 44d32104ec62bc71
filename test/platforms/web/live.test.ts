import { expect, it } from 'vitest';
import type { Events } from '#src/platforms/web/events.ts';
import { startPageUpdates } from '#src/platforms/web/live.ts';
import type { AlertFeed } from '#src/platforms/web/ports/alert-feed.ts';
import { second } from '#src/runtime/units.ts';
import { alertRow } from '#test/support/board.ts';
import { fakeClock } from '#test/support/clock.ts';
import { noAlerts } from '#test/support/console.ts';

const speed = 10;

it('a page gets the alerts that changed while they could not be read, however long that was', async () => {
  const wall = fakeClock();
  const marketTime = () => wall.now() * speed;
  let row = alertRow('a1', { updatedAt: 0, revision: 1 });
  let fails = false;
  const feed: AlertFeed = {
    ...noAlerts,
    clock: () => ({ now: marketTime(), speed }),
    changed: async (_, since) => {
      if (fails) throw new Error('the database does not answer');
      return row.updatedAt >= since ? [row] : [];
    },
  };
  const sent: string[] = [];
  const page = { room: 'main', language: 'en', timeZone: 'UTC' } as const;
  const events: Pick<Events, 'publish' | 'broadcast' | 'listeners'> = {
    publish: () => {},
    broadcast: (event, dataFor) => void sent.push(`${event} ${dataFor(page)}`),
    listeners: () => [page],
  };
  const updates = startPageUpdates(events, {
    board: { read: () => ({}), onPatch: () => {} },
    feed,
    wall,
    health: async () => ({}),
    viewerOf: async () => ({
      reader: { language: 'en', timeZone: 'UTC' },
      receiver: { notifier: 'web', address: { room: 'main' } },
      seesAllPlaces: true,
    }),
    rooms: { recent: async () => [], start: () => ({ wake: () => {}, stop: async () => {} }) },
    log: { error: () => {} },
  });
  await wall.advance(20 * second);
  fails = true;
  await wall.advance(5 * second);
  row = { ...row, updatedAt: marketTime(), revision: 2 };
  await wall.advance(60 * second);
  fails = false;
  await wall.advance(2 * second);
  expect(sent.filter((each) => each.startsWith('alert ')).at(-1)).toBe(`alert ${JSON.stringify([row])}`);
  await updates.stop();
});
