/**
 * Loaded before a program of ours (`--expose-gc --import`) to ask it for its memory from outside: the program itself
 * knows nothing of it. In each of its worker threads it is loaded too, and answers for it.
 */
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads';

/** Bytes, after a forced collection. `heaps`: by thread, the first being `main`. */
export interface Memory {
  readonly rss: number;
  readonly heaps: Readonly<Record<string, number>>;
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

/** Time for the threads to answer, ms. */
const patience = 2_000;
const channel = new BroadcastChannel('memory');
// A probe keeps no program alive.
channel.unref();

const collected = (): number => {
  // Twice: what the first frees by finalizers, the second collects.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

if (isMainThread) {
  let id = 0;
  process.on('message', async (message) => {
    if (message !== 'memory') return;
    id += 1;
    const heaps: Record<string, number> = {};
    channel.onmessage = ({ data }: { data: Answered }) => {
      if (data.id === id) heaps[data.from] = data.heap;
    };
    channel.postMessage({ from: 'main', id } satisfies Asked);
    heaps.main = collected();
    await new Promise((resolve) => setTimeout(resolve, patience));
    process.send?.({ rss: process.memoryUsage().rss, heaps } satisfies Memory);
  });
  process.channel?.unref();
} else {
  channel.onmessage = ({ data }: { data: Asked | Answered }) => {
    if (data.from === 'main') channel.postMessage({ from: threadName, id: data.id, heap: collected() });
  };
}
