import type { Receiver } from '../alert/subscription.ts';
import { sayAlert } from '../card/say-card.ts';
import { plainReader, say } from '../language/say.ts';
import type { Report } from '../platforms/ports.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Store } from '../store/store.ts';

/** Whoever knows one of these reads there, as by a password. */
const passwords: ReadonlySet<string> = new Set(['topic']);

/** An address without what may be secret in it: of a URL, all but where it leads. */
export const shown = (address: Receiver['address']): Receiver['address'] =>
  Object.fromEntries(
    Object.entries(address).map(([name, value]) => {
      if (passwords.has(name)) return [name, '…'];
      return [name, /^https?:/.test(String(value)) ? `${URL.parse(String(value))?.origin}/…` : value];
    }),
  );

/** Rows that are listed at the most. */
const listed = 100;

export interface ReportOptions extends Pick<Report, 'status' | 'ready'> {
  readonly store: Pick<Store, 'alerts' | 'deliveries' | 'leases'>;
  readonly metrics: Pick<Metrics, 'text'>;
  /** The roles somebody must have. */
  readonly needed: readonly string[];
}

export const createReport = ({ store, metrics, needed, ...given }: ReportOptions): Report => ({
  ...given,
  alerts: async () => (await store.alerts.recent(listed)).map(sayAlert),
  deliveries: async () =>
    (await store.deliveries.latest(listed)).map(({ receiver, title, reason, ...each }) => ({
      ...each,
      receiver: { ...receiver, address: shown(receiver.address) },
      title: say(title, plainReader),
      reason: reason && say(reason.text, plainReader),
    })),
  metrics: metrics.text,
  async roles() {
    const held = new Set((await store.leases.all()).flatMap((each) => (each.held ? [each.role] : [])));
    return needed.map((role) => ({ role, held: held.has(role) }));
  },
});
