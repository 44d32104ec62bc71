import { candleMetrics } from './candle-metrics.ts';
import { marketMetrics } from './market-metrics.ts';
import type { Metric, MetricEntry } from './metric-entry.ts';
import { symbolMetrics } from './symbol-metrics.ts';

/**
 * All metrics, by name. The slack of a metric is about what its value moves by between two looks while nothing happens.
 * Numbers in percent are percent, not fractions: a level is written as it is shown.
 */
const metrics = {
  ...metricsAbout(symbolMetrics, 'symbol'),
  ...metricsAbout(marketMetrics, 'market'),
  ...metricsAbout(candleMetrics, 'symbol'),
};

export type MetricName = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as readonly MetricName[];
export const isMetric = (name: string): name is MetricName => Object.hasOwn(metrics, name);
export const metricOf = (name: MetricName): Metric => metrics[name];

function metricsAbout<Name extends string>(
  listed: Readonly<Record<Name, MetricEntry>>,
  about: Metric['about'],
) {
  const entries = Object.entries<MetricEntry>(listed).map(([name, one]) => [name, { ...one, about }]);
  return Object.fromEntries(entries) as Readonly<Record<Name, Metric>>;
}
