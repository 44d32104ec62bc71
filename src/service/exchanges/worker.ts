/** The thread of the exchanges' clients: its one entry, started by thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { wallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { openExchanges } from './exchanges.ts';
import type { Call, Outcome } from './thread.ts';
import type { ExchangeUrls } from './urls.ts';

const { signal } = new AbortController();
const exchanges = openExchanges(workerData as ExchangeUrls, { wall: wallClock, signal });
const say = (outcome: Outcome) => parentPort?.postMessage(outcome);

parentPort?.on('message', async ({ id, client, method, args }: Call) => {
  const methods = exchanges[client] as unknown as Record<
    string,
    (...args: readonly unknown[]) => Promise<unknown>
  >;
  try {
    say({ id, value: await methods[method]?.(...args) });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { endpoint, reason, message, field, retryAfter } = error;
    const more = { ...(field !== undefined && { field }), ...(retryAfter !== undefined && { retryAfter }) };
    say({ id, failure: { endpoint, reason, message, ...more } });
  }
});
