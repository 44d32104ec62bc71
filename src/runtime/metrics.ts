import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { WallClock } from './clock.ts';
import { second } from './units.ts';
import { within } from './within.ts';

/** A value that is read when monitoring asks; one for each set of labels, or one without. */
export interface GaugeSource {
  readonly help: string;
  readonly labels?: readonly string[];
  readonly values: () => Promise<readonly GaugeValue[]> | readonly GaugeValue[];
}

export interface GaugeValue {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What monitoring reads at /metrics. Labels are few and bounded: no symbol, no receiver, no free text. */
export interface Metrics {
  readonly deliveries: Counter<'notifier' | 'outcome'>;
  readonly suppressed: Counter<'notifier' | 'reason'>;
  /** Seconds by the wall. */
  readonly latency: Histogram<'notifier' | 'lane'>;
  readonly requests: Counter<'outcome'>;
  readonly placeFlaws: Gauge;
  /** What is read when it is asked for; a source that fails leaves its gauge out. */
  gauge(name: string, source: GaugeSource): void;
  text(): Promise<string>;
}

/** Wall ms that a gauge's source has: monitoring itself gives up after ten seconds. */
const patience = 2 * second;

export function createMetrics(wall: WallClock): Metrics {
  const registry = new Registry();
  /** Nothing where it fails or takes too long: the other metrics are told all the same. */
  const read = async (values: GaugeSource['values']): Promise<readonly GaugeValue[]> => {
    let found: readonly GaugeValue[] = [];
    const reading = async () => {
      found = await values();
    };
    return (await within(patience, { work: reading(), clock: wall })) ? found : [];
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
