/** A thread that responds once it is permitted to, over a broadcast channel. */
import { BroadcastChannel, parentPort } from 'node:worker_threads';
import type { DrawnAnswer, Request } from '#src/chart/thread.ts';

const asked: number[] = [];
parentPort?.on('message', ({ id }: Request) => asked.push(id));
new BroadcastChannel('let it draw').onmessage = () => {
  for (const id of asked.splice(0))
    parentPort?.postMessage({ id, png: Uint8Array.of(1) } satisfies DrawnAnswer);
};
