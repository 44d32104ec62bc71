import { Worker } from 'node:worker_threads';
import type { Flaw, Sheet } from './sheet.ts';

export type Opened = Sheet | readonly Flaw[];

/**
 * Files by name, each opened in a thread of its own: a thousand entries are 0.1 s of parsing that cannot be interrupted, in
 * which nothing else would be answered.
 */
export async function* openInThread(
  texts: Readonly<Record<string, string>>,
): AsyncGenerator<readonly [file: string, opened: Opened]> {
  const worker = new Worker(new URL('./sheet-worker.ts', import.meta.url), {
    name: 'files of places',
    env: {},
  });
  try {
    for (const [file, text] of Object.entries(texts)) {
      const answer = Promise.withResolvers<Opened>();
      worker.once('message', answer.resolve);
      worker.once('error', answer.reject);
      worker.once('exit', () => answer.reject(new Error('the thread of the files of places ended')));
      worker.postMessage({ file, text });
      yield [file, await answer.promise];
      worker.removeAllListeners();
    }
  } finally {
    await worker.terminate();
  }
}
