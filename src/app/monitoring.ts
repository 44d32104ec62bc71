import manifest from '../../package.json' with { type: 'json' };
import { deliveryOutcomes, reasonCodes } from '../alert/reason.ts';
import type { Receiver } from '../alert/subscription.ts';
import { sayAlert } from '../card/say-card.ts';
import { type HookOutcome, hookOutcomes } from '../hook/receive.ts';
import { plainReader, say } from '../language/say.ts';
import type { PipelineOptions } from '../pipeline/pipeline.ts';
import type { Report } from '../platforms/web/ports.ts';
import type { WallClock } from '../runtime/clock.ts';
import { apiErrorReasons } from '../runtime/errors.ts';
import { createMetrics, type GaugeSource, type Metrics } from '../runtime/metrics.ts';
import { second } from '../runtime/units.ts';
import type { Store } from '../store/ports.ts';
import { canaryKind } from './canary.ts';
import type { Core } from './core.ts';
import type { Senders } from './platforms.ts';
import type { Watching } from './watching.ts';

type MonitoredCore = Pick<Core, 'store' | 'client' | 'meta' | 'quality' | 'addresses'>;

interface MonitoredParts {
  readonly senders: Pick<Senders, 'outlets' | 'readiness'>;
  readonly watching: Pick<Watching, 'watch' | 'rules'>;
}

export type Monitoring = ReturnType<typeof createMonitoring>;

/** Creates the metrics: the callbacks that other parts count by, and the report that monitoring reads. */
export function createMonitoring(wall: WallClock) {
  const metrics = createMetrics(wall);
  return {
    onFlaws: (count: number) => metrics.placeFlaws.set(count),
    onHookOutcome: (outcome: HookOutcome) => metrics.hookRequests.inc({ outcome }),
    onAnswer: (outcome: string) => metrics.requests.inc({ outcome }),
    onRefused: (endpoint: string, count: number) => metrics.rowsRefused.inc({ endpoint }, count),
    pipelineCallbacks: {
      count({ outcome, reason, notifier }) {
        metrics.deliveries.inc({ outcome, notifier });
        if (outcome === 'suppressed') metrics.suppressed.inc({ reason, notifier });
      },
      delivered: (seconds, { notifier, lane }) => metrics.latency.observe({ notifier, lane }, seconds),
    } satisfies Pick<PipelineOptions, 'count' | 'delivered'>,
    report(core: MonitoredCore, { status, ...parts }: MonitoredParts & Pick<Report, 'status'>): Report {
      const { outlets, readiness } = parts.senders;
      const requiredRoles = [
        'watch',
        'expand',
        ...parts.watching.rules.roles,
        ...outlets.map(({ name }) => `deliver:${name}`),
      ];
      addGauges(metrics, core, { ...parts, requiredRoles });
      startAtZero(metrics, outlets);
      const { store, addresses } = core;
      const { state: ready } = readiness;
      return createReport({ store, status, ready, shown: addresses.shown, metrics, requiredRoles });
    },
  };
}

/**
 * Reports every counter from the start, as 0. Of a counter that appears with its first event, Prometheus does not see that
 * event: a rate needs a value before it.
 */
function startAtZero(metrics: Metrics, outlets: Senders['outlets']): void {
  for (const { name: notifier } of outlets) {
    for (const outcome of deliveryOutcomes) metrics.deliveries.inc({ outcome, notifier }, 0);
    for (const reason of reasonCodes) metrics.suppressed.inc({ reason, notifier }, 0);
  }
  for (const outcome of ['answered', ...apiErrorReasons]) metrics.requests.inc({ outcome }, 0);
  for (const outcome of hookOutcomes) metrics.hookRequests.inc({ outcome }, 0);
}

/** Adds the gauges, which are computed whenever monitoring reads them. Ages and times are wall time, at any market speed. */
function addGauges(
  metrics: Metrics,
  { client, store, meta, quality }: MonitoredCore,
  { senders, watching, requiredRoles }: MonitoredParts & Pick<ReportOptions, 'requiredRoles'>,
): void {
  const backlog = shareReading(() => store.outbox.backlog());
  const roles = shareReading(() => store.leases.all());
  const gauges: Readonly<Record<string, GaugeSource>> = {
    build_info: {
      help: 'What runs here; always 1',
      labels: ['version', 'node'],
      values: () => [{ value: 1, labels: { version: manifest.version, node: process.versions.node } }],
    },
    outbox_waiting: {
      help: 'Notifications accepted and not yet sent, counted up to 10,000',
      values: async () => [{ value: (await backlog()).waiting }],
    },
    outbox_oldest_seconds: {
      help: 'For how long the oldest notification has been due; 0 where none waits',
      async values() {
        const { oldest } = await backlog();
        const { now, speed } = meta.market();
        return [{ value: oldest === null ? 0 : Math.max(0, now() - oldest) / speed / second }];
      },
    },
    detector_last_success_timestamp_seconds: {
      help: 'When each detector last looked at the market with success; before, when it began to try. Unix time',
      labels: ['detector'],
      values: () =>
        watching.watch
          .status()
          .flatMap(({ name, waitingSince }) =>
            waitingSince === null ? [] : [{ value: waitingSince / second, labels: { detector: name } }],
          ),
    },
    data_fresh: {
      help: '1 where the data service has current data, by its own checks; from the process that watches',
      labels: ['check'],
      values: () =>
        Object.entries(quality.latest()?.checks ?? {}).map(([check, { fresh }]) => ({
          value: fresh ? 1 : 0,
          labels: { check },
        })),
    },
    lease_token: {
      help: 'How often each role has been taken, of all processes; a jump is a fail-over',
      labels: ['role'],
      values: async () => (await roles()).map(({ role, token }) => ({ value: token, labels: { role } })),
    },
    lease_held: {
      help: '1 where some process has the role; of the roles without which this process is not ready',
      labels: ['role'],
      async values() {
        const held = new Set((await roles()).flatMap((each) => (each.held ? [each.role] : [])));
        return requiredRoles.map((role) => ({ value: held.has(role) ? 1 : 0, labels: { role } }));
      },
    },
    budget_used: {
      help: 'Requests to the data service in the current window',
      values: () => [{ value: client.budget().used }],
    },
    platforms_refused: {
      help: 'Platforms that do not accept their token: nothing is sent there',
      values: () => [{ value: senders.readiness.refusals.size }],
    },
    subscriptions: {
      help: 'Subscriptions',
      values: async () => [{ value: await store.subscriptions.count() }],
    },
  };
  for (const [name, source] of Object.entries(gauges)) metrics.gauge(name, source);
}

/** Lets gauges that are read at the same time share one query. */
function shareReading<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let reading: Promise<Found> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

/** The most rows that are listed. */
const maxRows = 100;

interface ReportOptions extends Pick<Report, 'status' | 'ready'> {
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
