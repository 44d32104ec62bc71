/**
 * Loaded before a program of ours (`--expose-gc --import`) to ask it for its memory from outside: the program itself
 * knows nothing of it. In each of its worker threads it is loaded too, and answers for it.
 */
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads';

/**
 * Bytes, after a forced collection. `heaps`: what each thread holds in its heap and outside of it (buffers), by thread:
 * `main` and the names of its workers.
 */
export interface Memory {
  readonly heaps: Readonly<Record<string, number>>;
  readonly rss: number;
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

/** What the program is asked: for its memory, and that of the worker threads of these names. */
export interface MemoryRequest {
  readonly threads: readonly string[];
}

/** Time for the threads to answer, ms: one may be in the middle of a long calculation. */
const patience = 20_000;
const channel = new BroadcastChannel('memory');
// A probe keeps no program alive.
channel.unref();

const collected = (): number => {
  // Twice: what the first frees by finalizers, the second collects.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

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
    const memory: Memory = { heaps: { main: collected(), ...heaps }, rss: process.memoryUsage().rss };
    process.send?.(memory);
  });
  process.channel?.unref();
} else {
  channel.onmessage = ({ data }: { data: Asked | Answered }) => {
    if (data.from === 'main') channel.postMessage({ from: threadName, id: data.id, heap: collected() });
  };
}
