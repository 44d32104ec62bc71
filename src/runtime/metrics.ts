import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What monitoring reads at /metrics. Labels are few and bounded: no symbol, no receiver, no free text. */
export interface Metrics {
  readonly deliveries: Counter<'notifier' | 'outcome'>;
  readonly suppressed: Counter<'notifier' | 'reason'>;
  text(): Promise<string>;
}

export function createMetrics(
  gauges: Readonly<Record<string, { help: string; value: () => Promise<number> | number }>>,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const metrics = {
    deliveries: new Counter({
      name: 'tocsin_deliveries_total',
      help: 'What became of notifications',
      labelNames: ['notifier', 'outcome'] as const,
      registers,
    }),
    suppressed: new Counter({
      name: 'tocsin_suppressed_total',
      help: 'Notifications held back for good, by reason',
      labelNames: ['notifier', 'reason'] as const,
      registers,
    }),
  };
  for (const [name, { help, value }] of Object.entries(gauges)) {
    new Gauge({
      name: `tocsin_${name}`,
      help,
      registers,
      async collect() {
        this.set(await value());
      },
    });
  }
  return { ...metrics, text: () => registry.metrics() };
}
