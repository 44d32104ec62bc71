/** Entry of the thread that sheet-thread.ts starts. */
import { parentPort, workerData } from 'node:worker_threads';
import { openSheet } from '../../shell/sheet.ts';
import type { Opened } from './sheet-thread.ts';

const texts: Readonly<Record<string, string>> = workerData;
for (const [file, text] of Object.entries(texts)) {
  const opened: Opened = [file, openSheet(file, text)];
  parentPort?.postMessage(opened);
}
