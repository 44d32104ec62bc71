import { onTestFinished } from 'vitest';
import { openStore } from '#src/store/open.ts';

/** Opens a store for one test, in memory unless a URL is given, and closes it after the test. */
export async function ownStore(
  url = 'file::memory:',
  options?: Parameters<typeof openStore>[1],
): ReturnType<typeof openStore> {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
}
