/** A thread that responds once it is permitted to, over a broadcast channel. */
import { BroadcastChannel } from 'node:worker_threads';
import { offerToParent } from '#src/runtime/thread.ts';

const permitted = new BroadcastChannel('let it draw');
offerToParent({
  drawPng: () =>
    new Promise((resolve) => {
      permitted.onmessage = () => resolve(Uint8Array.of(1));
    }),
});
