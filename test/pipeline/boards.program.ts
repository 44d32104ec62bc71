/**
 * Keeps the boards of one database in a process of its own, and kills itself around one of its effects.
 * @param argv database, URL and token of Discord, what the board shows, `before` or `after`, and the number of the effect
 */
import { pino } from 'pino';
import { startBoards } from '#src/pipeline/boards.ts';
import { openNotifier } from '#src/platforms/discord/notifier.ts';
import { options } from '#src/platforms/discord/options.ts';
import platform from '#src/platforms/discord/platform.ts';
import { steadyClock, wallClock } from '#src/runtime/clock.ts';
import { createPace } from '#src/runtime/pace.ts';
import { openStore } from '#src/store/open.ts';
import { addresses } from '#test/support/addresses.ts';
import { notifierPorts } from '#test/support/ports.ts';

const [database = '', apiUrl = '', token = '', shows = '', when = '', number = ''] = process.argv.slice(2);
const store = await openStore(database, { addresses });
const log = pino({ level: 'silent' });
const wall = {
  ...wallClock,
  sleep: (ms: number, signal?: AbortSignal) => wallClock.sleep(Math.min(ms, 20), signal),
};
const pace = createPace(platform.limits, { now: steadyClock.now, sleep: wallClock.sleep });
const connection = openNotifier(options.parse({ token, apiUrl }), notifierPorts({ pace, log }));

let effects = 0;
/** Counts each effect of the object, and ends the process around the one that is chosen. */
const mortal = <Effects extends object>(of: Effects, names: readonly string[]): Effects =>
  new Proxy(of, {
    get(target, name, own) {
      const effect = Reflect.get(target, name, own) as unknown;
      if (typeof effect !== 'function' || !names.includes(String(name))) return effect;
      return async (...given: unknown[]) => {
        const isLast = String(effects++) === number;
        if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL');
        const result = await effect.apply(target, given);
        if (isLast) process.kill(process.pid, 'SIGKILL');
        return result;
      };
    },
  });

const boards = mortal(store.boardLog, ['keep', 'remove']);
const work = startBoards(
  {
    name: 'discord',
    connection: mortal(connection, ['send', 'edit', 'find', 'pin']),
    concurrency: 8,
    pace,
    paceKey: platform.limits.paceKey,
  },
  {
    boards,
    draw: async () => ({ title: shows, source: 'simulated' }),
    heldRole: { lease: { name: 'x', token: 0 } as never, isHeld: () => true },
    now: () => Date.now(),
    wall,
    steady: steadyClock,
    log,
  },
);
for (let turns = 0; turns < 250; turns += 1) {
  await wallClock.sleep(20);
  const kept = await store.boardLog.all('discord');
  if (kept.every(({ post }) => post.shown !== null && post.pinned && !post.begun && !post.ended)) break;
}
await wallClock.sleep(100);
await work.stop();
await connection.close?.();
await store.close();
process.stdout.write(`effects ${effects}\n`);
