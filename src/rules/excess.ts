import type { ASTNode } from '@marcbachmann/cel-js';
import { crossingAt, type Expression, metricAt, visit } from './expression.ts';
import { metricOfSide, numberAt } from './hysteresis.ts';
import type { MetricName } from './metrics.ts';

/**
 * Returns how far the metric that a condition compares first is from the nearest of its levels; where the condition is
 * true, this is how far the metric is beyond it. Undefined: there is no such metric, or its value is not known.
 */
export function excessOf(
  { ast }: Expression,
  read: (metric: MetricName) => number | string | undefined,
): number | undefined {
  const compared = comparisons(ast);
  const metric = compared[0]?.metric;
  const value = metric === undefined ? undefined : read(metric);
  if (typeof value !== 'number') return undefined;
  const own = compared.filter((each) => each.metric === metric);
  return Math.min(...own.map(({ size, level }) => Math.abs((size ? Math.abs(value) : value) - level)));
}

/**
 * Returns the levels of those metrics that a condition only compares with numbers. As long as the value of such a
 * metric crosses none of its levels, the condition cannot change. Other metrics are left out.
 */
export function levelsOf({ ast }: Expression): ReadonlyMap<MetricName, readonly number[]> {
  const mentioned: MetricName[] = [];
  visit(ast, (node) => {
    const metric = metricAt(node);
    if (metric !== undefined) mentioned.push(metric);
  });
  const compared = comparisons(ast);
  const levels = new Map<MetricName, number[]>();
  for (const metric of mentioned) {
    const own = compared.filter((each) => each.metric === metric);
    if (own.length < mentioned.filter((each) => each === metric).length) continue;
    levels.set(
      metric,
      own.flatMap(({ size, level }) => (size ? [level, -level] : [level])),
    );
  }
  return levels;
}

/**
 * Returns the comparisons of metrics with levels, in the order in which they are written. `size`: the metric counts
 * without its sign.
 */
function comparisons(ast: ASTNode) {
  const found: { readonly metric: MetricName; readonly size: boolean; readonly level: number }[] = [];
  visit(ast, (node) => {
    const isCompared = node.op === '>' || node.op === '>=' || node.op === '<' || node.op === '<=';
    const sides = isCompared ? node.args : crossingAt(node)?.sides;
    if (sides === undefined) return;
    const [left, right] = sides;
    const side = metricOfSide(left) === undefined ? right : left;
    const [metric, level] = [metricOfSide(side), numberAt(side === left ? right : left)];
    if (metric !== undefined && level !== undefined) found.push({ metric, size: side.op === 'call', level });
  });
  return found;
}
