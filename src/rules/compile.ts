import type { Rule } from '../alert/rule.ts';
import { unlessRefused } from '../language/errors.ts';
import { levelsOf } from './excess.ts';
import { type Expression, readExpression } from './expression.ts';
import { clearOf } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** A condition, and what follows from the condition alone. */
interface Condition {
  readonly condition: Expression;
  /** See levelsOf. */
  readonly levels: ReturnType<typeof levelsOf>;
  /**
   * Returns the condition that ends the alert if the rule has none of its own. It is made when it is first needed,
   * because most rules never fire.
   */
  readonly clear: () => Expression;
}

/** A rule that has been read and can be judged. */
export interface Compiled extends Condition {
  readonly rule: Rule;
  /** The metrics of its condition and its clear condition, each once. */
  readonly metrics: readonly MetricName[];
  /** `market`: the rule is about the whole market, and has one alert without a symbol. */
  readonly about: 'symbol' | 'market';
}

/**
 * Reads the conditions of a rule.
 *
 * @throws UserError that says what is wrong with its condition or its clear condition
 */
export function compile(rule: Rule): Compiled {
  const read = readCondition(rule.condition);
  const { condition } = read;
  const clear = rule.clear === null ? undefined : readCondition(rule.clear).condition;
  const metrics =
    clear === undefined ? condition.metrics : [...new Set([...condition.metrics, ...clear.metrics])];
  const about = metrics.some((name) => metricOf(name).about === 'symbol') ? 'symbol' : 'market';
  return { rule, ...read, ...(clear !== undefined && { clear: () => clear }), metrics, about };
}

/** Returns the rule compiled; undefined if it cannot be read, as after a metric was renamed. Its owner sees that in the list of rules. */
export const tryCompile = (rule: Rule): Compiled | undefined => unlessRefused(() => compile(rule));

/** How many conditions are cached: some 3 kB each. */
const maxCached = 10_000;

/**
 * The cached conditions, by text: many people choose the same round levels, and reading a condition takes as long as
 * testing it fifty times.
 */
const conditionByText = new Map<string, Condition>();

function readCondition(text: string): Condition {
  const cached = conditionByText.get(text);
  if (cached !== undefined) return cached;
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
  const [oldest] = conditionByText.size < maxCached ? [] : conditionByText.keys();
  if (oldest !== undefined) conditionByText.delete(oldest);
  conditionByText.set(text, read);
  return read;
}
