import type { Receiver } from '../alert/subscription.ts';
import { sayAlert } from '../card/say-card.ts';
import { plainReader, say } from '../language/say.ts';
import type { Report } from '../platforms/ports.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Store } from '../store/ports.ts';
import { canaryKind } from './canary.ts';

/** The most rows that are listed. */
const maxRows = 100;

export interface ReportOptions extends Pick<Report, 'status' | 'ready'> {
  readonly store: Pick<Store, 'alerts' | 'deliveries' | 'leases'>;
  readonly metrics: Pick<Metrics, 'text'>;
  /** Returns the receiver without the secret parts of its address. */
  shown(receiver: Receiver): Receiver;
  /** The roles that some process must hold. */
  readonly requiredRoles: readonly string[];
}

export const createReport = ({ store, metrics, requiredRoles, shown, ...given }: ReportOptions): Report => ({
  ...given,
  alerts: async () => (await store.alerts.recent(maxRows)).map(sayAlert),
  deliveries: async () =>
    (await store.deliveries.latest(maxRows))
      .filter(({ receiver }) => receiver.notifier !== canaryKind)
      .map(({ receiver, title, reason, ...each }) => ({
        ...each,
        receiver: shown(receiver),
        title: say(title, plainReader),
        reason: reason && say(reason.text, plainReader),
      })),
  metrics: metrics.text,
  async roles() {
    const held = new Set((await store.leases.all()).flatMap((each) => (each.held ? [each.role] : [])));
    return requiredRoles.map((role) => ({ role, held: held.has(role) }));
  },
});
