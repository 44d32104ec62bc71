/** The thread's entry, started by sheet-thread.ts. */
import { parentPort } from 'node:worker_threads';
import { openSheet } from './sheet.ts';

parentPort?.on('message', ({ file, text }: { readonly file: string; readonly text: string }) =>
  parentPort?.postMessage(openSheet(file, text)),
);
