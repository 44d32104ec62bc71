/** Entry point of the worker thread that runs the exchanges' clients. Started by thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { wallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { loadVenue } from '../venues/venue.ts';
import { openExchanges } from './exchanges.ts';
import type { FromThread, ToThread, WorkerData } from './thread.ts';

const { urls, venue, recalled } = workerData as WorkerData;
const { signal } = new AbortController();
const say = (message: FromThread) => parentPort?.postMessage(message);

const keeping = new Map<number, () => void>();
let keeps = 0;
const exchanges = openExchanges(urls, {
  venue: await loadVenue(venue.name, venue.folder),
  wall: wallClock,
  signal,
  memory: (upstream) => ({
    recalled: recalled[upstream],
    keep: (state) =>
      new Promise((resolve) => {
        keeping.set(keeps, resolve);
        say({ type: 'keep', id: keeps++, upstream, state });
      }),
  }),
  onOdd: (odd) => say({ type: 'odd', odd }),
});

parentPort?.on('message', async (message: ToThread) => {
  if (message.type === 'kept') {
    keeping.get(message.id)?.();
    keeping.delete(message.id);
    return;
  }
  const { id, client, method, args } = message;
  const methods = exchanges[client] as unknown as Record<
    string,
    (...args: readonly unknown[]) => Promise<unknown>
  >;
  try {
    say({ type: 'outcome', id, value: await methods[method]?.(...args) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { endpoint, reason, message, field, retryAfter } = error;
    const more = { ...(field !== undefined && { field }), ...(retryAfter !== undefined && { retryAfter }) };
    say({ type: 'outcome', id, failure: { endpoint, reason, message, ...more } });
  }
});
