/** Entry point of the worker thread that runs the exchanges' clients. Started by thread.ts. */
import { workerData } from 'node:worker_threads';
import { wallClock } from '../../runtime/clock.ts';
import { offerToParent } from '../../runtime/thread.ts';
import { createTrueTime } from '../../runtime/true-time.ts';
import { type Exchanges, openExchanges } from './open-exchanges.ts';
import type { ExchangesParent, WorkerData } from './thread.ts';
import { loadVenue } from './venue.ts';

const { urls, venue, storedStates } = workerData as WorkerData;
const { signal } = new AbortController();
/** A clock that jumps ahead for seconds would end a ban that goes on. The service's own thread logs that it jumped. */
const { wall } = createTrueTime(wallClock, { log: { warn() {}, info() {} } });
const opening = Promise.withResolvers<Exchanges>();

type Method = (...args: readonly unknown[]) => Promise<unknown>;
const offered = {
  async call(client: keyof Exchanges, method: string, args: readonly unknown[]): Promise<unknown> {
    const methods = (await opening.promise)[client] as unknown as Readonly<Record<string, Method>>;
    return methods[method]?.(...args);
  },
};
export type ThreadedExchanges = typeof offered;
const parent = offerToParent<ExchangesParent>(offered);

opening.resolve(
  openExchanges(urls, {
    venue: await loadVenue(venue.name, venue.folder),
    wall,
    signal,
    memory: (upstream) => ({
      storedState: storedStates[upstream],
      store: (state) => parent.keep(upstream, state),
    }),
    onRowsDropped: (dropped) => void parent.onRowsDropped(dropped),
  }),
);
