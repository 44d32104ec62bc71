import type { Rule } from '../alert/rule.ts';
import { levelsOf } from './excess.ts';
import { type Expression, readExpression } from './expression.ts';
import { clearOf } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** A condition, and what follows from it alone. */
interface Condition {
  readonly condition: Expression;
  /** See levelsOf. */
  readonly levels: ReturnType<typeof levelsOf>;
  /** When it is over where nobody said so. Read when it is first asked for: most never fire. */
  readonly clear: () => Expression;
}

/** A rule that can be asked. */
export interface Compiled extends Condition {
  readonly rule: Rule;
  /** Of both, each once. */
  readonly metrics: readonly MetricName[];
  /** `market`: there is one alert of it, without a symbol. */
  readonly about: 'symbol' | 'market';
}

/** Throws UserError with what is wrong with its condition or its clear condition. */
export function compile(rule: Rule): Compiled {
  const read = readCondition(rule.condition);
  const { condition } = read;
  const clear = rule.clear === null ? undefined : readCondition(rule.clear).condition;
  const metrics =
    clear === undefined ? condition.metrics : [...new Set([...condition.metrics, ...clear.metrics])];
  const about = metrics.some((name) => metricOf(name).about === 'symbol') ? 'symbol' : 'market';
  return { rule, ...read, ...(clear !== undefined && { clear: () => clear }), metrics, about };
}

/** Conditions that are kept as they were read: some 3 kB each. */
const most = 10_000;

/** By text: many people choose the same round levels, and reading one takes as long as asking it fifty times. */
const known = new Map<string, Condition>();

function readCondition(text: string): Condition {
  const there = known.get(text);
  if (there !== undefined) return there;
  const condition = readExpression(text);
  let clear: Expression | undefined;
  const read: Condition = {
    condition,
    levels: levelsOf(condition),
    clear() {
      clear ??= readExpression(clearOf(condition));
      return clear;
    },
  };
  const [oldest] = known.size < most ? [] : known.keys();
  if (oldest !== undefined) known.delete(oldest);
  known.set(text, read);
  return read;
}
