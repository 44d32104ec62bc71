import { parentPort } from 'node:worker_threads';

/** A thread that hears and never answers. */
parentPort?.on('message', () => {});
