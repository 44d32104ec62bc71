import { randomBytes } from 'node:crypto';
import { url as debuggerUrl } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { wallClock } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { Secret } from '../../runtime/secret.ts';
import { minute, second } from '../../runtime/units.ts';
import type { ServiceOptions } from './service.ts';

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
/** The messages to the thread: the options at first, then each new level of the log, `close` at last. */
export type ToWorker = WorkerOptions | Pick<WorkerOptions, 'level'> | 'close';

/** The messages of the thread. `line` is a line of pino's log. */
export type WorkerMessage =
  | { readonly type: 'started'; readonly url: string }
  | { readonly type: 'refused'; readonly problems: readonly string[]; readonly mayPass: boolean }
  | { readonly type: 'ready' }
  | { readonly type: 'turned' }
  | { readonly type: 'log'; readonly line: string };

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
  readonly worker: Worker;
  /** Resolves when the thread ends, with the error that ended it, if there was one. */
  readonly ended: Promise<Error | undefined>;
}

/** Starts a thread that loads the data service's code and waits for the options to start the service with. */
export function openThread(): ServiceThread {
  setFlagsFromString(`--max-semi-space-size=${youngSpace}`);
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: 'data-service' });
  let error: Error | undefined;
  // Without a listener the error would end the process.
  worker.on('error', (thrown) => {
    error = thrown instanceof Error ? thrown : new Error(String(thrown));
  });
  const ended = new Promise<Error | undefined>((resolve) => worker.once('exit', () => resolve(error)));
  return { worker, ended };
}

/**
 * Runs the data service in a thread of its own, so that bot and service do not delay each other. If the service crashes, or its
 * event loop has not turned for two minutes, it is restarted on the same port, after a pause that doubles from 0.5 s to 30 s.
 * @param thread the first thread, if one is open already
 * @throws ConfigError as startService
 */
export async function startEmbedded(options: EmbeddedOptions, thread?: ServiceThread): Promise<Embedded> {
  const apiKey = new Secret(`tocsin_${randomBytes(32).toString('hex')}`);
  const closing = new AbortController();
  const ready = Promise.withResolvers<void>();

  const first = launch(options, { apiKey, onReady: ready.resolve, thread });
  const url = await first.started;
  const port = Number(new URL(url).port);

  let running = first;
  const watching = (async () => {
    let pause = minPause;
    for (;;) {
      const startedAt = performance.now();
      const error = await running.ended;
      if (closing.signal.aborted) return;
      if (performance.now() - startedAt > stableAfter) pause = minPause;
      options.log.error({ err: error, restartIn: pause }, 'the embedded data service died; restarting it');
      await wallClock.sleep(pause, closing.signal).catch(() => {});
      if (closing.signal.aborted) return;
      pause = Math.min(2 * pause, maxPause);
      running = launch({ ...options, port }, { apiKey, onReady: ready.resolve });
      // A failed start ends the thread, which the next turn of the loop handles.
      running.started.catch(() => {});
    }
  })();

  return {
    url,
    apiKey,
    ready: ready.promise,
    async close() {
      closing.abort();
      await running.stop();
      await watching;
    },
  };
}

/** Starts the service in a thread, by default a new one. `ended` resolves with the reason when the thread ends. */
function launch(
  options: EmbeddedOptions,
  {
    apiKey,
    onReady,
    thread: { worker, ended: threadEnded } = openThread(),
  }: { readonly apiKey: Secret; readonly onReady: () => void; readonly thread?: ServiceThread | undefined },
) {
  const { log, ...rest } = options;
  const send = (message: ToWorker) => worker.postMessage(message);
  send({ ...rest, apiKey: apiKey.reveal(), level: log.level });
  // A line below the thread's level never leaves the thread, whatever the level is here.
  const sendLevel = () => send({ level: log.level });
  log.on('level-change', sendLevel);
  const started = Promise.withResolvers<string>();
  let refusal: ConfigError | undefined;
  let hang: Error | undefined;
  let silent = 0;
  const looking = setInterval(() => {
    // A debugger may have stopped the thread at a breakpoint.
    silent = debuggerUrl() === undefined ? silent + 1 : 0;
    if (silent < silentLooks) return;
    hang = new Error('the event loop of the data service has not turned for minutes');
    void worker.terminate();
  }, lookEvery);

  worker.on('message', (message: WorkerMessage) => {
    silent = 0;
    if (message.type === 'started') started.resolve(message.url);
    else if (message.type === 'ready') onReady();
    else if (message.type === 'refused')
      refusal = new ConfigError(message.problems, { mayPass: message.mayPass });
    else if (message.type === 'log') forward(log, message.line);
  });
  const ended = threadEnded.then((thrown) => {
    log.off('level-change', sendLevel);
    clearInterval(looking);
    const error = refusal ?? hang ?? thrown ?? new Error('the data service ended by itself');
    started.reject(error);
    return error;
  });

  return {
    started: started.promise,
    ended,
    async stop() {
      send('close');
      const stopped = new AbortController();
      wallClock.sleep(stopTimeout, stopped.signal).then(
        () => worker.terminate(),
        () => {},
      );
      await ended;
      stopped.abort();
    },
  };
}

const levels: Readonly<Record<number, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Writes a line of the worker's log to the bot's log. */
function forward(log: Logger, line: string): void {
  const { level, time: _time, pid: _pid, hostname: _hostname, msg, ...fields } = JSON.parse(line);
  log[levels[level] ?? 'info'](fields, msg);
}
