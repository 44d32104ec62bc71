/** Says how many it was asked for. */
import { parentPort } from 'node:worker_threads';
import type { DrawnAnswer, Request } from '#src/chart/thread.ts';

let asked = 0;
parentPort?.on('message', ({ id }: Request) => {
  asked++;
  parentPort?.postMessage({ id, png: Uint8Array.of(asked) } satisfies DrawnAnswer);
});
