import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { second } from '../runtime/units.ts';
import type { Database } from './database.ts';

/** How often it is looked whether the database is still the one that was opened, wall ms. */
const lookEvery = 5 * second;
/** The shortest pause between two examinations of a whole file, wall ms. */
const examineEvery = 30 * second;
/** An examination is followed by a pause of this many times its length, so that it takes at most 2 % of one core and disk. */
const restFactor = 50;

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
  let dueAt = steady.now() + examineEvery / 3;
  const examining = new AbortController();

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
      const found = await damageIn(path, examining.signal);
      guard.note('content', found === null ? null : `the database file ${path} is damaged (${found})`);
      report();
    } catch (error) {
      if (!examining.signal.aborted)
        log.warn({ err: error }, 'could not examine the database file; trying again');
    } finally {
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
      examining.abort(new Error('the bot is stopping'));
      await loop.stop();
      await underWay;
    },
  };
}

/** Returns what is wrong in a SQLite file; null if nothing. It is read in a thread of its own: a large file takes seconds. */
async function damageIn(path: string, signal: AbortSignal): Promise<string | null> {
  const worker = new Worker(new URL('./integrity-thread.ts', import.meta.url), {
    name: 'database check',
    env: {},
    workerData: path,
  });
  try {
    const [found] = await once(worker, 'message', { signal });
    return found;
  } finally {
    await worker.terminate();
  }
}
