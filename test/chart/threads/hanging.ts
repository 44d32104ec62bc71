import { parentPort } from 'node:worker_threads';

/** A thread that receives messages and never responds. */
parentPort?.on('message', () => {});
