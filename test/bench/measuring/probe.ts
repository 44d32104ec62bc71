/**
 * Is loaded before one of our programs (`--expose-gc --import`), so that its memory can be asked for from outside without
 * code in the program itself. It is also loaded in each of the program's worker threads, and answers for them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads';

/**
 * Memory after a forced collection, bytes. `heaps`: heap and external memory (buffers) by thread: `main` and the names of
 * the worker threads. `rss`: resident memory of the whole process. `handles`: timers, sockets and other resources that are
 * open in the main thread, the fewest of several looks: what a request opens while it is under way is not counted.
 */
export interface Memory {
  readonly heaps: Readonly<Record<string, number>>;
  readonly rss: number;
  readonly handles: number;
}

interface Asked {
  readonly from: 'main';
  readonly id: number;
}
interface Answered {
  readonly from: string;
  readonly id: number;
  readonly heap: number;
}

/** Asks the program for its memory, and for that of the worker threads with these names. */
export interface MemoryRequest {
  readonly threads: readonly string[];
}

/** How often the main thread's open resources are counted for one answer, and ms between two counts. */
const looks = { count: 6, pause: 20 } as const;
/** Ms to wait for the threads' answers; a thread may be in the middle of a long calculation. */
const patience = 20_000;
const channel = new BroadcastChannel('memory');
// The probe must not keep the program alive.
channel.unref();

const collected = (): number => {
  // Two collections, because the second one frees what finalizers of the first one have released.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

async function fewestHandles(): Promise<number> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks.count; look += 1) {
    if (look > 0) await sleep(looks.pause, undefined, { ref: false });
    fewest = Math.min(fewest, process.getActiveResourcesInfo().length);
  }
  return fewest;
}

if (isMainThread) {
  let id = 0;
  process.on('message', async ({ threads }: MemoryRequest) => {
    id += 1;
    const heaps: Record<string, number> = {};
    const all = Promise.withResolvers<void>();
    channel.onmessage = ({ data }: { data: Answered }) => {
      if (data.id === id) heaps[data.from] = data.heap;
      if (threads.every((thread) => thread in heaps)) all.resolve();
    };
    if (threads.length === 0) all.resolve();
    channel.postMessage({ from: 'main', id } satisfies Asked);
    const waited = setTimeout(() => all.resolve(), patience);
    await all.promise;
    clearTimeout(waited);
    const memory: Memory = {
      heaps: { main: collected(), ...heaps },
      rss: process.memoryUsage().rss,
      handles: await fewestHandles(),
    };
    process.send?.(memory);
  });
  process.channel?.unref();
} else {
  channel.onmessage = ({ data }: { data: Asked | Answered }) => {
    if (data.from === 'main') channel.postMessage({ from: threadName, id: data.id, heap: collected() });
  };
}
