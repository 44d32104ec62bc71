import { createThread } from '../../runtime/thread.ts';
import type { Flaw, Sheet } from '../../shell/sheet.ts';
import type { Sheets } from './sheet-worker.ts';

/** Name of a file, with its content or with the flaws because of which it cannot be read. */
type Opened = readonly [file: string, sheet: Sheet | readonly Flaw[]];

/**
 * Opens files one after the other in a separate thread. Parsing a thousand entries takes 0.1 s and cannot be interrupted; in
 * this thread nothing else would be answered meanwhile.
 */
export async function* openInThread(texts: Readonly<Record<string, string>>): AsyncGenerator<Opened> {
  const url = new URL('./sheet-worker.ts', import.meta.url);
  const thread = createThread<Sheets>(url, { options: () => ({ name: 'files of places' }) });
  try {
    for (const [file, text] of Object.entries(texts)) yield [file, await thread.remote.openSheet(file, text)];
  } finally {
    await thread.end();
  }
}
