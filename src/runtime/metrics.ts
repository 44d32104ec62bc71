import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { WallClock } from './clock.ts';
import { second } from './units.ts';
import { resolvesWithin } from './within.ts';

/** A gauge that is read at each scrape: one value for each set of labels, or one value without labels. */
export interface GaugeSource {
  readonly help: string;
  readonly labels?: readonly string[];
  readonly values: () => Promise<readonly GaugeValue[]> | readonly GaugeValue[];
}

interface GaugeValue {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The metrics served at /metrics. Labels have few, bounded values: no symbol, no receiver, no free text. */
export interface Metrics {
  readonly deliveries: Counter<'notifier' | 'outcome'>;
  readonly suppressed: Counter<'notifier' | 'reason'>;
  /** Wall seconds. */
  readonly latency: Histogram<'notifier' | 'lane'>;
  readonly requests: Counter<'outcome'>;
  readonly hookRequests: Counter<'outcome'>;
  readonly rowsRefused: Counter<'endpoint'>;
  readonly placeFlaws: Gauge;
  /** Adds a gauge that is read at each scrape. If its source fails, the gauge is left out. */
  gauge(name: string, source: GaugeSource): void;
  text(): Promise<string>;
}

/** How long a gauge's source may take, wall ms: monitoring itself gives up after ten seconds. */
const patience = 2 * second;

export function createMetrics(wall: WallClock): Metrics {
  const registry = new Registry();
  /** Returns nothing if the source fails or takes too long: the other metrics are reported all the same. */
  const read = async (values: GaugeSource['values']): Promise<readonly GaugeValue[]> => {
    let found: readonly GaugeValue[] = [];
    const reading = async () => {
      found = await values();
    };
    return (await resolvesWithin(patience, { work: reading(), clock: wall })) ? found : [];
  };
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    deliveries: new Counter({
      name: 'tocsin_deliveries_total',
      help: 'What became of notifications',
      labelNames: ['notifier', 'outcome'],
      registers,
    }),
    suppressed: new Counter({
      name: 'tocsin_suppressed_total',
      help: 'Notifications held back for good, by reason',
      labelNames: ['notifier', 'reason'],
      registers,
    }),
    latency: new Histogram({
      name: 'tocsin_delivery_latency_seconds',
      help: 'From an alert’s change to its post being accepted, without waits that were wished for (groups, quiet hours, digests)',
      labelNames: ['notifier', 'lane'],
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800],
      registers,
    }),
    requests: new Counter({
      name: 'tocsin_api_requests_total',
      help: 'Requests to the data service, by what came of them',
      labelNames: ['outcome'],
      registers,
    }),
    hookRequests: new Counter({
      name: 'tocsin_hook_requests_total',
      help: 'Posts of other programs to hooks, by what came of them: unreadable, too-large, busy and full are refused',
      labelNames: ['outcome'],
      registers,
    }),
    rowsRefused: new Counter({
      name: 'tocsin_api_rows_refused_total',
      help: 'Rows of the data service that were left out because they cannot be, or their time lies ahead of the clock',
      labelNames: ['endpoint'],
      registers,
    }),
    placeFlaws: new Gauge({
      name: 'tocsin_place_file_problems',
      help: 'What is wrong with the files of places, counted: above 0 nothing of them is applied. 0 where another process applies them',
      registers,
    }),
    gauge(name, { help, labels = [], values }) {
      new Gauge({
        name: `tocsin_${name}`,
        help,
        labelNames: labels,
        registers,
        async collect() {
          if (labels.length === 0) this.remove();
          else this.reset();
          for (const { labels: own = {}, value } of await read(values)) this.set(own, value);
        },
      });
    },
    text: () => registry.metrics(),
  };
}
