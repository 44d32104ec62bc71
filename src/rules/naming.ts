import { rank } from '../language/closest.ts';
import { unknownMetricError } from './expression-errors.ts';
import { isMetric, type MetricName, metricNames, metricOf } from './metrics.ts';

/**
 * Returns the metric of this name, in upper or lower case.
 *
 * @throws UserError with suggestions where there is none
 */
export function resolveMetric(text: string): MetricName {
  const typed = text.trim().toLowerCase();
  const name = metricNames.find((each) => each.toLowerCase() === typed);
  if (name === undefined) throw unknownMetricError(text);
  return name;
}

export const rankMetrics = (text: string, limit: number): string[] => rank(text, metricNames, limit);

/** Returns ways to complete a half-typed condition: its last name completed, or labels that its last metric can have. */
export function completeCondition(text: string, limit: number): string[] {
  const [, before = '', metric = '', operator = '', label] =
    /^(.*?)([A-Za-z]\w*\.\w+)(\s*[=!]=\s*)"?(\w*)$/s.exec(text) ?? [];
  if (label !== undefined && isMetric(metric)) {
    return (metricOf(metric).labels ?? [])
      .filter((each) => each.startsWith(label.toUpperCase()))
      .map((each) => `${before}${metric}${operator}"${each}"`)
      .slice(0, limit);
  }
  const [, start = '', name = ''] = /^(.*?)([A-Za-z][\w.]*)?$/s.exec(text) ?? [];
  if (name === '' && text.trim() !== '' && !/[&|!(<>=+*/-]\s*$/.test(text)) return [];
  return rankMetrics(name, limit).map((each) => start + each);
}
