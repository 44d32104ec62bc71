/** Runs seeds of simulated processes one after another in a thread, while real processes run other seeds. */
import { parentPort, workerData } from 'node:worker_threads';
import { runChaos } from '../../chaos/chaos.ts';

const { from, count } = workerData as { readonly from: number; readonly count: number };
for (let seed = from; seed < from + count; seed++) parentPort?.postMessage(await runChaos(seed));
