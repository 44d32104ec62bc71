import { Counter, Histogram, Registry } from 'prom-client';

/** The metrics that monitoring reads at /metrics. Labels are few and bounded: no addresses, keys or symbols. */
export interface ServiceMetrics {
  /** Counts a response that was sent. `route`: an endpoint's path, or `other`; `duration` in ms. */
  countResponse(route: string, given: { readonly status: number; readonly duration: number }): void;
  /** Counts a body that was built anew. */
  countBuild(route: string): void;
  /** Counts rows of an upstream's response that were dropped. */
  countDroppedRows(endpoint: string, rows: number): void;
  /** Returns the metrics in Prometheus's text format. */
  text(): Promise<string>;
}

/** @param registry A registry, which may already contain the process's own metrics. */
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
  const droppedRows = new Counter({
    name: 'tocsin_upstream_odd_rows_total',
    help: 'Rows of upstream answers that were not as promised and were dropped',
    labelNames: ['endpoint'] as const,
    registers,
  });
  return {
    countResponse(route, { status, duration: ms }) {
      requests.inc({ route, status });
      durations.observe(ms / 1_000);
    },
    countDroppedRows: (endpoint, rows) => droppedRows.inc({ endpoint }, rows),
    countBuild: (route) => builds.inc({ route }),
    text: () => registry.metrics(),
  };
}
