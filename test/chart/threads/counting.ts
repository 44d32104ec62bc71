/** A thread that responds with the number of its requests. */
import { parentPort } from 'node:worker_threads';
import type { DrawnAnswer, Request } from '#src/chart/thread.ts';

let asked = 0;
parentPort?.on('message', ({ id }: Request) => {
  asked++;
  parentPort?.postMessage({ id, png: Uint8Array.of(asked) } satisfies DrawnAnswer);
});
