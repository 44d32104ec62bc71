import { randomBytes } from 'node:crypto';
import { url as debuggerUrl } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { SHARE_ENV } from 'node:worker_threads';
import type { Level, Logger } from 'pino';
import { wallClock } from '../../runtime/clock.ts';
import { Secret } from '../../runtime/secret.ts';
import { createThread, type Thread } from '../../runtime/thread.ts';
import { minute, second } from '../../runtime/units.ts';
import type { ServiceOptions } from './service.ts';
import type { EmbeddedService } from './worker.ts';

export type EmbeddedOptions = Omit<ServiceOptions, 'apiKey'>;

interface Embedded {
  /** The API root on this machine. It stays the same when the service is restarted. */
  readonly url: string;
  /** A key that is generated at each start of the bot and known to no one else. */
  readonly apiKey: Secret;
  /** Resolves when the service is ready for the first time. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** What the thread starts the service with. The key is plain text, because a Secret cannot be passed to a thread. */
export type WorkerOptions = Omit<ServiceOptions, 'apiKey' | 'log'> & {
  readonly apiKey: string;
  readonly level: string;
};
/** What the thread may call. */
export interface ServiceParent {
  /** @param line of pino's log */
  log(line: string): void;
  ready(): void;
  /** Says that the thread's event loop turns. */
  turned(): void;
}

/** Ms between two looks at whether the thread has said anything. A machine that slept counts as one look. */
const lookEvery = minute / 4;
/** Looks in which the thread has said nothing, after which it counts as hung. */
const silentLooks = 8;
/** How often the thread says that its event loop turns, ms. */
export const turnEvery = lookEvery / 2;

/** Time for a graceful stop, ms. After that the thread is terminated. */
const stopTimeout = 5 * second;
const minPause = 500;
const maxPause = 30 * second;
/** After a run of this length, ms, the pause before a restart is reset to the first one. */
const stableAfter = minute;

/**
 * The young space of the threads that start from here on, MB. In the 2 MB that the bot starts with, rows on their way into
 * the archive outlive the young space and fill the old one: 22.3 % of a core instead of 20.1 at 240 ×. With 8 MB nothing is
 * gained. V8 has no flag for one thread, and a worker's `resourceLimits` lose against the flag of the process.
 */
const youngSpace = 4;

/** A thread of the data service. */
export interface ServiceThread {
  readonly thread: Thread<EmbeddedService>;
  /** Who listens to the thread; nobody before the service is started. */
  listener: (ServiceParent & { ended(reason: unknown): void }) | undefined;
}

/** Starts a thread that loads the data service's code and waits for the options to start the service with. */
export function openThread(entry = new URL('./worker.ts', import.meta.url)): ServiceThread {
  const thread = createThread<EmbeddedService>(entry, {
    options() {
      setFlagsFromString(`--max-semi-space-size=${youngSpace}`);
      // A client of Postgres reads its settings in the environment.
      return { name: 'data-service', env: SHARE_ENV };
    },
    offered: {
      log: (line) => opened.listener?.log(line),
      ready: () => opened.listener?.ready(),
      turned: () => opened.listener?.turned(),
    } satisfies ServiceParent,
    onEnd: (reason) => opened.listener?.ended(reason),
  });
  const opened: ServiceThread = { thread, listener: undefined };
  thread.start();
  return opened;
}

/**
 * Runs the data service in a thread of its own, so that bot and service do not delay each other. If the service crashes, or its
 * event loop has not turned for two minutes, it is restarted on the same port, after a pause that doubles from 0.5 s to 30 s.
 * @param opened the thread, if one is open already
 * @throws ConfigError as startService
 */
export async function startEmbedded(
  options: EmbeddedOptions,
  opened: ServiceThread = openThread(),
): Promise<Embedded> {
  const { log, ...rest } = options;
  const { thread } = opened;
  const apiKey = new Secret(`tocsin_${randomBytes(32).toString('hex')}`);
  const closing = new AbortController();
  const ready = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<unknown>();
  let isRunning = false;
  let silent = 0;

  opened.listener = {
    log(line) {
      silent = 0;
      forward(log, line);
    },
    ready: ready.resolve,
    turned() {
      silent = 0;
    },
    ended(reason) {
      isRunning = false;
      ended.resolve(reason);
    },
  };
  /** Starts the service and returns its URL. If that fails, the thread has ended. */
  const start = async (port: number): Promise<string> => {
    isRunning = true;
    silent = 0;
    ended = Promise.withResolvers();
    try {
      return await thread.remote.start({ ...rest, port, apiKey: apiKey.reveal(), level: log.level });
    } catch (error) {
      await thread.end(error);
      throw error;
    }
  };
  const looking = setInterval(() => {
    // A debugger may have stopped the thread at a breakpoint.
    silent = isRunning && debuggerUrl() === undefined ? silent + 1 : 0;
    if (silent >= silentLooks)
      void thread.end(new Error('the event loop of the data service has not turned for minutes'));
  }, lookEvery);
  // A line below the thread's level never leaves the thread, whatever the level is here.
  const sendLevel = () => void (isRunning && thread.remote.setLevel(log.level).catch(() => {}));
  log.on('level-change', sendLevel);
  const stopListening = () => {
    log.off('level-change', sendLevel);
    clearInterval(looking);
  };

  const url = await start(options.port).catch((error: unknown) => {
    stopListening();
    throw error;
  });
  const keepRunning = async () => {
    let pause = minPause;
    for (;;) {
      const startedAt = performance.now();
      const error = await ended.promise;
      if (closing.signal.aborted) return;
      if (performance.now() - startedAt > stableAfter) pause = minPause;
      log.error({ err: error, restartIn: pause }, 'the embedded data service died; restarting it');
      await wallClock.sleep(pause, closing.signal).catch(() => {});
      if (closing.signal.aborted) return;
      pause = Math.min(2 * pause, maxPause);
      // A failed start ends the thread, which the next turn of the loop handles.
      start(Number(new URL(url).port)).catch(() => {});
    }
  };
  const keeping = keepRunning();

  return {
    url,
    apiKey,
    ready: ready.promise,
    async close() {
      closing.abort();
      const stopped = new AbortController();
      if (isRunning)
        await Promise.race([
          thread.remote.close().catch(() => {}),
          wallClock.sleep(stopTimeout, stopped.signal).catch(() => {}),
        ]);
      stopped.abort();
      await thread.end();
      await keeping;
      stopListening();
    },
  };
}

/** Writes a line of the worker's log to the bot's log. */
function forward(log: Logger, line: string): void {
  const { level, time: _time, pid: _pid, hostname: _hostname, msg, ...fields } = JSON.parse(line);
  log[log.levels.labels[level] as Level](fields, msg);
}
