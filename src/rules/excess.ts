import type { ASTNode } from '@marcbachmann/cel-js';
import { type Expression, visit } from './expression.ts';
import { metricOfSide, numberAt } from './hysteresis.ts';
import type { MetricName } from './metrics.ts';

/**
 * How far the metric that a condition first compares with a level is from the nearest of its levels: where the
 * condition is true, how far beyond what it asks. Undefined where there is none, or its value is not known.
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

/** In the order they are written; `size`: of the metric without its sign. */
function comparisons(ast: ASTNode) {
  const found: { readonly metric: MetricName; readonly size: boolean; readonly level: number }[] = [];
  visit(ast, (node) => {
    if (!(node.op === '>' || node.op === '>=' || node.op === '<' || node.op === '<=')) return;
    for (const [side, other] of [node.args, node.args.toReversed()]) {
      const metric = side && metricOfSide(side);
      const level = other && numberAt(other);
      if (metric !== undefined && level !== undefined)
        found.push({ metric, size: side?.op === 'call', level });
    }
  });
  return found;
}
