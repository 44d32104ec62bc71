import type { Client } from '../client/create-client.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import type { Store } from '../store/store.ts';

/** The bot's metrics, and what is read when they are asked for. */
export const createGauges = ({
  client,
  store,
  refusals,
}: {
  readonly client: Pick<Client, 'budget'>;
  readonly store: Pick<Store, 'outbox' | 'subscriptions'>;
  readonly refusals: ReadonlyMap<string, unknown>;
}): Metrics =>
  createMetrics({
    outbox_waiting: {
      help: 'Notifications accepted and not yet sent',
      value: async () => (await store.outbox.backlog()).waiting,
    },
    budget_used: {
      help: 'Requests to the data service in the current window',
      value: () => client.budget().used,
    },
    platforms_refused: {
      help: 'Platforms that do not accept their token: nothing is sent there',
      value: () => refusals.size,
    },
    subscriptions: { help: 'Subscriptions', value: () => store.subscriptions.count() },
  });
