import { Counter, Histogram, Registry } from 'prom-client';

/** What monitoring reads at /metrics. Labels are few and bounded: no address, no key, no symbol. */
export interface ServiceMetrics {
  /** An answer is out. `route`: an endpoint's path, or `other`; `duration` in ms. */
  answered(route: string, given: { readonly status: number; readonly duration: number }): void;
  /** A body was made anew. */
  built(route: string): void;
  /** Rows of an upstream's answer that were dropped. */
  odd(endpoint: string, rows: number): void;
  /** Prometheus text. */
  text(): Promise<string>;
}

/** @param registry the process's own figures may be in it already */
export function createMetrics(registry = new Registry()): ServiceMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'tocsin_http_requests_total',
    help: 'Requests answered by the data service',
    labelNames: ['route', 'status'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'tocsin_http_request_seconds',
    help: 'From the request to the end of its answer',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const builds = new Counter({
    name: 'tocsin_http_bodies_built_total',
    help: 'Answers made anew because their data had changed; all others were kept ones',
    labelNames: ['route'] as const,
    registers,
  });
  const odd = new Counter({
    name: 'tocsin_upstream_odd_rows_total',
    help: 'Rows of upstream answers that were not as promised and were dropped',
    labelNames: ['endpoint'] as const,
    registers,
  });
  // Looked up once: hashing labels would be half of what counting costs.
  const counters = new Map<string, Counter.Internal[]>();
  const counterOf = (route: string, status: number): Counter.Internal => {
    const byStatus = counters.get(route) ?? [];
    counters.set(route, byStatus);
    byStatus[status] ??= requests.labels(route, String(status));
    return byStatus[status];
  };
  const duration = durations.labels({});
  return {
    answered(route, { status, duration: ms }) {
      counterOf(route, status).inc();
      duration.observe(ms / 1_000);
    },
    odd: (endpoint, rows) => odd.inc({ endpoint }, rows),
    built: (route) => builds.inc({ route }),
    text: () => registry.metrics(),
  };
}
