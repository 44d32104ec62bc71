import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Flaw, Sheet } from './sheet.ts';

/** A file by its name, and what it holds or what keeps it from being read. */
export type Opened = readonly [file: string, sheet: Sheet | readonly Flaw[]];

/**
 * Files by name, opened one after the other in a thread of their own: a thousand entries are 0.1 s of parsing that cannot be
 * interrupted, in which nothing else would be answered.
 */
export async function* openInThread(texts: Readonly<Record<string, string>>): AsyncGenerator<Opened> {
  let left = Object.keys(texts).length;
  if (left === 0) return;
  const url = new URL('./sheet-worker.ts', import.meta.url);
  const worker = new Worker(url, { name: 'files of places', env: {}, workerData: texts });
  try {
    for await (const [opened] of on(worker, 'message', { close: ['exit'] })) {
      yield opened;
      left -= 1;
      if (left === 0) return;
    }
    throw new Error('the thread of the files of places ended');
  } finally {
    await worker.terminate();
  }
}
