/** Entry point of the worker thread that runs the exchanges' clients. Started by thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { wallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { openExchanges } from './exchanges.ts';
import type { FromThread, ToThread, WorkerData } from './thread.ts';
import { loadVenue } from './venue.ts';

const { urls, venue, storedStates } = workerData as WorkerData;
const { signal } = new AbortController();
const post = (message: FromThread) => parentPort?.postMessage(message);

const pendingWrites = new Map<number, () => void>();
let nextWriteId = 0;
const exchanges = openExchanges(urls, {
  venue: await loadVenue(venue.name, venue.folder),
  wall: wallClock,
  signal,
  memory: (upstream) => ({
    storedState: storedStates[upstream],
    store: (state) =>
      new Promise((resolve) => {
        pendingWrites.set(nextWriteId, resolve);
        post({ type: 'keep', id: nextWriteId++, upstream, state });
      }),
  }),
  onRowsDropped: (droppedRows) => post({ type: 'odd', droppedRows }),
});

parentPort?.on('message', async (message: ToThread) => {
  if (message.type === 'kept') {
    pendingWrites.get(message.id)?.();
    pendingWrites.delete(message.id);
    return;
  }
  const { id, client, method, args } = message;
  const methods = exchanges[client] as unknown as Record<
    string,
    (...args: readonly unknown[]) => Promise<unknown>
  >;
  try {
    post({ type: 'outcome', id, value: await methods[method]?.(...args) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { endpoint, reason, message, field, retryAfter } = error;
    const more = { ...(field !== undefined && { field }), ...(retryAfter !== undefined && { retryAfter }) };
    post({ type: 'outcome', id, failure: { endpoint, reason, message, ...more } });
  }
});
