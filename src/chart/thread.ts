import { Worker } from 'node:worker_threads';
import type { Chart } from '../alert/alert.ts';
import type { WallClock } from '../runtime/clock.ts';
import { compiledCode } from '../runtime/compiled-code.ts';
import type { DrawOptions } from './picture.ts';

export interface Request {
  readonly id: number;
  readonly chart: Chart<string>;
  readonly options: DrawOptions;
}
export type DrawnAnswer =
  | { readonly id: number; readonly png: Uint8Array }
  | { readonly id: number; readonly problem: string };

/** A thread that draws. It is started when it is needed, ended when it is idle, and replaced when it has died. */
export interface Thread {
  /**
   * Draws one chart. Must not be called again before it has returned.
   *
   * @throws Error where the chart could not be drawn
   */
  draw(chart: Chart<string>, options: DrawOptions): Promise<Uint8Array>;
  /** Keeps the thread from ending when it is idle. */
  keep(): void;
  close(): Promise<void>;
}

export interface ThreadOptions {
  readonly entry: URL;
  readonly wall: WallClock;
  /** How long one picture may take, wall ms. */
  readonly pictureTimeout: number;
  /** How long the first picture of a thread may take, wall ms: the thread has to load its libraries for it. */
  readonly firstPictureTimeout: number;
  /** After how long a thread with nothing to do ends, wall ms. */
  readonly idleAfter: number;
}

/**
 * If the heap is exceeded, the thread ends and not the bot. The young generation is small because each picture leaves
 * megabytes of pixels that only a collection frees. Measured over 400 pictures: 100 MB with 4, 200 MB with V8's own 32.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 };

export function createThread({
  entry,
  wall,
  pictureTimeout,
  firstPictureTimeout,
  idleAfter,
}: ThreadOptions): Thread {
  let worker: Worker | undefined;
  let hasDrawn = false;
  let idle = new AbortController();
  let closed = false;
  let isKept = false;
  let lastId = 0;

  async function end(): Promise<void> {
    const ending = worker;
    hasDrawn = false;
    worker = undefined;
    await ending?.terminate();
  }

  return {
    async draw(chart, options) {
      if (closed) throw new Error('the renderer is closed');
      idle.abort();
      // The thread gets no environment variables: they hold tokens, and a drawing needs none.
      worker ??= new Worker(entry, { name: 'charts', env: compiledCode(), resourceLimits })
        // Without a listener, an error that comes while no picture is asked for would end the process.
        .on('error', () => {});
      const request: Request = { id: ++lastId, chart, options };
      try {
        const answer = await ask(worker, {
          request,
          wall,
          timeout: hasDrawn ? pictureTimeout : firstPictureTimeout,
        });
        hasDrawn = true;
        if ('problem' in answer) throw new Error(answer.problem);
        idle = new AbortController();
        if (!isKept) wall.sleep(idleAfter, idle.signal).then(end, () => {});
        return answer.png;
      } catch (error) {
        // The next picture begins in a fresh thread. The end of this one is not waited for, because it may hang.
        void end();
        throw error;
      }
    },
    keep() {
      isKept = true;
      idle.abort();
    },
    async close() {
      closed = true;
      idle.abort();
      await end();
    },
  };
}

/** Asks the thread for a picture. Rejects when the thread dies, ends or does not answer for `timeout` ms. */
async function ask(
  worker: Worker,
  {
    request,
    wall,
    timeout,
  }: { readonly request: Request; readonly wall: WallClock; readonly timeout: number },
): Promise<DrawnAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<DrawnAnswer>();
  const onMessage = (answer: DrawnAnswer) => {
    if (answer.id === request.id) resolve(answer);
  };
  const onExit = (code: number) => reject(new Error(`the thread that draws ended with code ${code}`));
  const answered = new AbortController();
  wall.sleep(timeout, answered.signal).then(
    () => reject(new Error(`the thread that draws said nothing for ${timeout} ms`)),
    () => {},
  );
  worker.on('message', onMessage).on('error', reject).on('exit', onExit);
  try {
    worker.postMessage(request);
    return await promise;
  } finally {
    answered.abort();
    worker.off('message', onMessage).off('error', reject).off('exit', onExit);
  }
}
