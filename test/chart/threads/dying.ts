import { parentPort } from 'node:worker_threads';

/** A thread that fails on certain charts, chosen by their title. */
parentPort?.on('message', ({ id, chart }) => {
  if (chart.title === 'throws') throw new Error('killed by a chart');
  if (chart.title === 'exits') process.exit(3);
  if (chart.title === 'runs out of memory')
    for (const held = [[0]]; ; ) held.push(Array(100_000).fill(held.length));
  if (chart.title === 'cannot') return parentPort?.postMessage({ id, problem: 'no such shape' });
  parentPort?.postMessage({ id: id - 1, png: Uint8Array.of(9) });
  parentPort?.postMessage({ id, png: Uint8Array.of(1, 2, 3) });
  parentPort?.postMessage({ id, png: Uint8Array.of(4) });
});
