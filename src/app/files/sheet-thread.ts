import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { compiledCode } from '../../runtime/compiled-code.ts';
import type { Flaw, Sheet } from '../../shell/sheet.ts';

/** Name of a file, with its content or with the flaws because of which it cannot be read. */
export type Opened = readonly [file: string, sheet: Sheet | readonly Flaw[]];

/**
 * Opens files one after the other in a separate thread. Parsing a thousand entries takes 0.1 s and cannot be interrupted; in
 * this thread nothing else would be answered meanwhile.
 */
export async function* openInThread(texts: Readonly<Record<string, string>>): AsyncGenerator<Opened> {
  let remaining = Object.keys(texts).length;
  if (remaining === 0) return;
  const url = new URL('./sheet-worker.ts', import.meta.url);
  const worker = new Worker(url, { name: 'files of places', env: compiledCode(), workerData: texts });
  try {
    for await (const [opened] of on(worker, 'message', { close: ['exit'] })) {
      yield opened;
      remaining -= 1;
      if (remaining === 0) return;
    }
    throw new Error('the thread of the files of places ended');
  } finally {
    await worker.terminate();
  }
}
