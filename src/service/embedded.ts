import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { wallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { Secret } from '../runtime/secret.ts';
import { minute, second } from '../runtime/units.ts';
import type { ServiceOptions } from './service.ts';

export type EmbeddedOptions = Omit<ServiceOptions, 'apiKey'>;

export interface Embedded {
  /** The API root on this machine; the same after a restart. */
  readonly url: string;
  /** Made at this start, known to no one else. */
  readonly apiKey: Secret;
  /** The first start is ready. */
  readonly ready: Promise<void>;
  /** The service died and will be started again after `restartIn` ms. */
  onExit(listener: (exit: { readonly error: Error; readonly restartIn: number }) => void): void;
  close(): Promise<void>;
}

/** What the worker is started with; a Secret does not survive the way. */
export type WorkerOptions = Omit<ServiceOptions, 'apiKey' | 'log'> & {
  readonly apiKey: string;
  readonly level: string;
};

/** What the worker says. `level` and `line` are pino's. */
export type WorkerMessage =
  | { readonly type: 'started'; readonly url: string }
  | { readonly type: 'refused'; readonly problems: readonly string[] }
  | { readonly type: 'ready' }
  | { readonly type: 'log'; readonly line: string };

/** Time for a graceful stop, ms; then the thread is ended. */
const grace = 5 * second;
const firstPause = 500;
const longestPause = 30 * second;
/** A service that ran this long was well: the next pause is the first one again. */
const wellAfter = minute;

/**
 * Runs the data service in a thread of its own, so that neither side's work delays the other's. Should it crash it is
 * started again at the same port, after a pause that doubles from 0.5 s to 30 s.
 * @throws ConfigError as startService
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const apiKey = new Secret(`tocsin_${randomBytes(32).toString('hex')}`);
  const listeners: ((exit: { error: Error; restartIn: number }) => void)[] = [];
  const closing = new AbortController();
  const ready = Promise.withResolvers<void>();

  const first = launch(options, { apiKey, onReady: ready.resolve });
  const url = await first.started;
  const port = Number(new URL(url).port);

  let running = first;
  const watching = (async () => {
    let pause = firstPause;
    for (;;) {
      const since = performance.now();
      const error = await running.ended;
      if (closing.signal.aborted) return;
      if (performance.now() - since > wellAfter) pause = firstPause;
      for (const listener of listeners) listener({ error, restartIn: pause });
      options.log.error({ err: error, restartIn: pause }, 'the embedded data service died; restarting it');
      await wallClock.sleep(pause, closing.signal).catch(() => {});
      if (closing.signal.aborted) return;
      pause = Math.min(2 * pause, longestPause);
      running = launch({ ...options, port }, { apiKey, onReady: ready.resolve });
      // A start that fails ends the thread, which the next turn sees.
      running.started.catch(() => {});
    }
  })();

  return {
    url,
    apiKey,
    ready: ready.promise,
    onExit: (listener) => void listeners.push(listener),
    async close() {
      closing.abort();
      await running.stop();
      await watching;
    },
  };
}

/** One life of the service. `ended` resolves with why. */
function launch(
  options: EmbeddedOptions,
  { apiKey, onReady }: { readonly apiKey: Secret; readonly onReady: () => void },
) {
  const { log, ...rest } = options;
  const workerData: WorkerOptions = { ...rest, apiKey: apiKey.reveal(), level: log.level };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData, name: 'data-service' });
  const started = Promise.withResolvers<string>();
  let cause: Error | undefined;

  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'started') started.resolve(message.url);
    else if (message.type === 'ready') onReady();
    else if (message.type === 'refused') cause = new ConfigError(message.problems);
    else forward(log, message.line);
  });
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  const ended = new Promise<Error>((resolve) => {
    worker.once('exit', () => {
      const error = cause ?? new Error('the data service ended by itself');
      started.reject(error);
      resolve(error);
    });
  });

  return {
    started: started.promise,
    ended,
    async stop() {
      worker.postMessage('close');
      const stopped = new AbortController();
      wallClock.sleep(grace, stopped.signal).then(
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

/** A line of the worker's log, written again by ours. */
function forward(log: Logger, line: string): void {
  const { level, time: _time, pid: _pid, hostname: _hostname, msg, ...fields } = JSON.parse(line);
  log[levels[level] ?? 'info'](fields, msg);
}
