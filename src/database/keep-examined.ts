import type { Logger } from 'pino';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { createThread } from '../runtime/thread.ts';
import { minute, second } from '../runtime/units.ts';
import type { Database } from './database.ts';
import { damageText } from './guard.ts';
import type { Integrity } from './integrity-thread.ts';

/** How often it is looked whether the database is still the one that was opened, wall ms. */
const lookEvery = 5 * second;
/** The shortest pause between two examinations of a whole file, wall ms: of pages that are read meanwhile SQLite tells itself. */
const examineEvery = 2 * minute;
/** An examination is followed by a pause of this many times its length, so that it takes at most half a percent of one core and disk. */
const restFactor = 200;

interface Examined {
  readonly database: Pick<Database<unknown>, 'guard'>;
  /** Looks at what only the database itself can tell. Left out: nothing. */
  readonly look?: () => Promise<void>;
  readonly wall: WallClock;
  readonly steady: Clock;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
}

/** Keeps looking whether a database is still the one that was opened and is whole, and logs what is wrong with it once. */
export function keepExamined({ database: { guard }, look, wall, steady, log }: Examined): Loop {
  let reported: string | null = null;
  let dueAt = steady.now() + examineEvery / 12;
  let stopping = false;
  /** It reads the file: a large one takes seconds. */
  const thread = createThread<Integrity>(new URL('./integrity-thread.ts', import.meta.url), {
    options: () => ({ name: 'database check' }),
  });

  const report = () => {
    const problem = guard.problem();
    if (problem === reported) return;
    if (problem === null) log.info('the database is there again');
    else log.error({ problem }, 'the database is lost or damaged: nothing is saved and nothing is sent');
    reported = problem;
  };

  const examine = async (path: string) => {
    const startedAt = steady.now();
    dueAt = Number.POSITIVE_INFINITY;
    try {
      const found = await thread.remote.damageIn(path);
      guard.note('content', found === null ? null : damageText(path, found));
      report();
    } catch (error) {
      if (!stopping) log.warn({ err: error }, 'could not examine the database file; trying again');
    } finally {
      await thread.end();
      dueAt = steady.now() + Math.max(examineEvery, restFactor * (steady.now() - startedAt));
    }
  };

  let underWay: Promise<void> = Promise.resolve();
  const loop = startLoop(
    async () => {
      report();
      await look?.();
      report();
      if (guard.path !== undefined && reported === null && steady.now() >= dueAt)
        underWay = examine(guard.path);
      return lookEvery;
    },
    { wall, onError: (error) => log.warn({ err: error }, 'could not look at the database; trying again') },
  );
  return {
    ...loop,
    async stop() {
      stopping = true;
      await loop.stop();
      await thread.end();
      await underWay;
    },
  };
}
