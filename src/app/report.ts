import type { Receiver } from '../alert/subscription.ts';
import { sayAlert } from '../card/say-card.ts';
import { plainReader, say } from '../language/say.ts';
import type { Report } from '../platforms/ports.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Store } from '../store/store.ts';

/** Rows that are listed at the most. */
const listed = 100;

export interface ReportOptions extends Pick<Report, 'status' | 'ready'> {
  readonly store: Pick<Store, 'alerts' | 'deliveries' | 'leases'>;
  readonly metrics: Pick<Metrics, 'text'>;
  /** A receiver without what is secret in its address. */
  shown(receiver: Receiver): Receiver;
  /** The roles somebody must have. */
  readonly needed: readonly string[];
}

export const createReport = ({ store, metrics, needed, shown, ...given }: ReportOptions): Report => ({
  ...given,
  alerts: async () => (await store.alerts.recent(listed)).map(sayAlert),
  deliveries: async () =>
    (await store.deliveries.latest(listed)).map(({ receiver, title, reason, ...each }) => ({
      ...each,
      receiver: shown(receiver),
      title: say(title, plainReader),
      reason: reason && say(reason.text, plainReader),
    })),
  metrics: metrics.text,
  async roles() {
    const held = new Set((await store.leases.all()).flatMap((each) => (each.held ? [each.role] : [])));
    return needed.map((role) => ({ role, held: held.has(role) }));
  },
});
