import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { parentPort, type SHARE_ENV, Worker, type WorkerOptions } from 'node:worker_threads';
import { ApiError, ConfigError, DatabaseLost, InputError } from './errors.ts';

/** What one thread offers another, as the other calls it. Arguments and answers are values that can be copied. */
type Remote<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (...args: infer Given) => infer Answer
    ? (...args: Given) => Promise<Awaited<Answer>>
    : never;
};

type Offered = Readonly<Record<string, (...args: never[]) => unknown>>;

type Message =
  | { readonly id: number; readonly call: string; readonly args: readonly unknown[] }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly thrown: CopiedError };

/** The thread ended by itself, by an error or because its heap is full, before it had answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

export interface Thread<Functions> {
  /**
   * What the thread offers. A call starts the thread where none runs, and throws what the function threw: an error of ours
   * with its class and fields, any other with its name. @throws ThreadEnded where the thread ends first
   */
  readonly remote: Remote<Functions>;
  /** Starts the thread where none runs, so that it has loaded its code when it is called. */
  start(): void;
  /** Ends the thread at once, whatever it does: calls that wait throw `reason`. The next call starts another thread. */
  end(reason?: unknown): Promise<void>;
}

/** Without `env` a thread gets no environment variables, which hold tokens, but where it finds the compiled code: 0.1 s and 15 MB. */
type ThreadOptions = Omit<WorkerOptions, 'env'> & { readonly name: string; readonly env?: typeof SHARE_ENV };

/** Creates a thread that is started by its first call, and again by the first one after it has ended. */
export function createThread<Functions>(
  entry: URL,
  {
    options,
    offered = {},
    onEnd,
  }: {
    /** Asked at each start. */
    readonly options: () => ThreadOptions;
    readonly offered?: Offered | undefined;
    /** Called each time that a thread has ended, with the reason given to `end` or with a ThreadEnded. */
    readonly onEnd?: ((reason: unknown) => void) | undefined;
  },
): Thread<Functions> {
  let running: ReturnType<typeof launch> | undefined;

  function launch() {
    const given = options();
    const worker = new Worker(entry, { env: compiledCode(), ...given });
    const ends = connect((message) => worker.postMessage(message), offered);
    let cause: unknown;
    const launched = { worker, ...ends, endedBy: undefined as unknown };
    worker
      .on('message', ends.receive)
      // Without a listener the error would end the process.
      .on('error', (error) => {
        cause = error;
      })
      .once('exit', (code) => {
        if (running?.worker === worker) running = undefined;
        const how = cause instanceof Error ? `: ${cause.message}` : ` with code ${code}`;
        const reason =
          launched.endedBy ?? new ThreadEnded(`the thread "${given.name}" ended${how}`, { cause });
        ends.fail(reason);
        onEnd?.(reason);
      });
    return launched;
  }
  const start = () => {
    running ??= launch();
    return running;
  };

  return {
    remote: remoteOf(async (name, args) => start().call(name, args)),
    start,
    async end(reason = new Error('the thread was ended')) {
      const ending = running;
      running = undefined;
      if (ending === undefined) return;
      ending.endedBy = reason;
      ending.fail(reason);
      await ending.worker.terminate();
    },
  };
}

/** Offers these functions to the thread that has started this one, and returns what that one offers. */
export function offerToParent<There>(offered: Offered): Remote<There> {
  if (parentPort === null) throw new Error('this file is the entry of a thread');
  const port = parentPort;
  const { call, receive } = connect((message) => port.postMessage(message), offered);
  port.on('message', receive);
  return remoteOf(call);
}

/** One end of a conversation between two threads. */
function connect(post: (message: Message) => void, offered: Offered) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  return {
    async call(name: string, args: readonly unknown[]): Promise<unknown> {
      const id = ++lastId;
      post({ id, call: name, args });
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      return asked.promise;
    },
    async receive(message: Message) {
      const { id } = message;
      if ('call' in message) {
        try {
          const asked = offered[message.call] as (...args: readonly unknown[]) => unknown;
          post({ id, answer: await asked(...message.args) });
        } catch (error) {
          post({ id, thrown: copyOf(error) });
        }
        return;
      }
      const asked = waiting.get(id);
      waiting.delete(id);
      if ('thrown' in message) asked?.reject(errorOf(message.thrown));
      else asked?.resolve(message.answer);
    },
    fail(reason: unknown) {
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

const remoteOf = <Functions>(call: (name: string, args: readonly unknown[]) => Promise<unknown>) =>
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...args: readonly unknown[]) =>
          call(String(name), args),
    },
  ) as Remote<Functions>;

/** The classes that are told apart by those who catch. */
const ownErrors: readonly { readonly name: string; readonly prototype: Error }[] = [
  ApiError,
  ConfigError,
  DatabaseLost,
  InputError,
];

/** An error's parts: errors lose their class and their fields when they are copied to another thread. */
interface CopiedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: CopiedError | undefined;
  /** Those of an error of ours: another's need not be values that can be copied. */
  readonly fields: object;
}

function copyOf(thrown: unknown): CopiedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  const isOwn = ownErrors.some((each) => each.name === name);
  return {
    name,
    message,
    stack,
    cause: cause === undefined ? undefined : copyOf(cause),
    fields: isOwn ? { ...error } : {},
  };
}

function errorOf({ name, message, stack, cause, fields }: CopiedError): Error {
  const error = new Error(message, cause && { cause: errorOf(cause) });
  const own = ownErrors.find((each) => each.name === name);
  if (own !== undefined) Object.setPrototypeOf(error, own.prototype);
  return Object.assign(error, fields, { name, stack });
}

/** Returns the environment of a thread or process that is given no other: where it finds the code that is already compiled. */
function compiledCode(): { readonly NODE_COMPILE_CACHE?: string } {
  // What Node.js tells is the folder of its own version, within the one that is set.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
