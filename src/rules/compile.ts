import type { Rule } from '../alert/rule.ts';
import { type Expression, readExpression } from './expression.ts';
import { clearOf } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** A rule that can be asked. */
export interface Compiled {
  readonly rule: Rule;
  readonly condition: Expression;
  /** Read when it is first asked for: most never fire. */
  readonly clear: () => Expression;
  /** Of both, each once. */
  readonly metrics: readonly MetricName[];
  /** `market`: there is one alert of it, without a symbol. */
  readonly about: 'symbol' | 'market';
}

/** Throws UserError with what is wrong with its condition or its clear condition. */
export function compile(rule: Rule): Compiled {
  const condition = readExpression(rule.condition);
  let clear = rule.clear === null ? undefined : readExpression(rule.clear);
  const metrics =
    clear === undefined ? condition.metrics : [...new Set([...condition.metrics, ...clear.metrics])];
  const about = metrics.some((name) => metricOf(name).about === 'symbol') ? 'symbol' : 'market';
  return {
    rule,
    condition,
    clear: () => {
      clear ??= readExpression(clearOf(condition));
      return clear;
    },
    metrics,
    about,
  };
}
