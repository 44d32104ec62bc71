/** A thread that fails on certain charts, chosen by their title. */
import { offerToParent } from '#src/runtime/thread.ts';

offerToParent({
  drawPng({ title }: { readonly title: string }) {
    if (title === 'throws')
      setImmediate(() => {
        throw new Error('killed by a chart');
      });
    if (title === 'exits') process.exit(3);
    if (title === 'runs out of memory')
      for (const held = [[0]]; ; ) held.push(Array(100_000).fill(held.length));
    if (title === 'cannot') throw new Error('no such shape');
    return title === 'throws' ? new Promise(() => {}) : Uint8Array.of(1, 2, 3);
  },
});
