import type { ASTNode } from '@marcbachmann/cel-js';
import { UserError, unlessRefused } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { readNumber } from '../language/typed-number.ts';
import { checkDecides } from './decides.ts';
import { crossingAt, metricAt, numeral, readExpression } from './expression.ts';
import { notANumberError } from './expression-errors.ts';
import { clearOf, numberAt } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** What people give: either a metric and its level, or a condition of their own; and when it clears. */
export interface ConditionInput {
  readonly metric?: MetricName | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly is?: string | undefined;
  readonly when?: string | undefined;
  /** The level at which a metric clears, or a condition. Null or left out: what `clearOf` makes of the condition. */
  readonly clear?: string | number | null | undefined;
}

/** A condition as it is judged, and the condition that clears it. Null: what `clearOf` makes of the condition. */
interface RuleCondition {
  readonly condition: string;
  readonly clear: string | null;
}

/**
 * Converts either form to a condition, and checks that it can be read.
 *
 * @throws UserError that says what is missing, too much or wrong
 */
export function conditionOf(input: ConditionInput): RuleCondition {
  const { when, clear = null } = input;
  if (when !== undefined) {
    if ([input.metric, input.above, input.below, input.is].some((given) => given !== undefined)) {
      throw new UserError(
        msg(
          'Give either a metric with above, below or is, or a condition of your own with when, in quotation marks, not both.',
        ),
      );
    }
    return checkedCondition(when, clear);
  }
  const { metric, above, below, is } = input;
  if (metric === undefined) {
    throw new UserError(
      msg('What is it about? Give a metric and a level, such as {simple}, or a condition, such as {free}.', {
        simple: 'metric=funding.z above=2.5',
        free: 'when="funding.z > 2.5 && oi.ratePct > 1"',
      }),
    );
  }
  if ([above, below, is].filter((given) => given !== undefined).length !== 1) {
    throw new UserError(
      msg('Give one of above, below and is; for more than one, write a condition: {example}.', {
        example: `when="${metric} > 2 || ${metric} < -2"`,
      }),
    );
  }
  if (is !== undefined) {
    return checkedCondition(
      `${metric} == "${is
        .trim()
        .toUpperCase()
        .replaceAll(/[\s-]+/g, '_')
        .replaceAll('"', '')}"`,
      clear,
    );
  }
  if (metricOf(metric).labels !== undefined) throw notANumberError(metric);
  const level = above ?? below ?? 0;
  const condition = `${metric} ${above === undefined ? '<' : '>'} ${numeral(level)}`;
  const clearLevel = typeof clear === 'string' ? readNumber(clear) : clear;
  if (clearLevel === undefined || clearLevel === null) return checkedCondition(condition, clear);
  if (above === undefined ? clearLevel < level : clearLevel > level) {
    throw new UserError(
      above === undefined
        ? msg('It fires below {level}, so it can only clear at or above that: give a higher clear.', {
            level: numeral(level),
          })
        : msg('It fires above {level}, so it can only clear at or below that: give a lower clear.', {
            level: numeral(level),
          }),
    );
  }
  return checkedCondition(condition, `${metric} ${above === undefined ? '>=' : '<='} ${numeral(clearLevel)}`);
}

function checkedCondition(condition: string, given: string | number | null): RuleCondition {
  const expression = readExpression(condition);
  checkDecides(expression);
  const clear = given === null ? null : String(given);
  const clearing = readExpression(clear ?? clearOf(expression));
  if (clear !== null) checkDecides(clearing, 'clear');
  return { condition: expression.text, clear };
}

/**
 * Returns what people would give for a condition: for one metric and its level, the simple form, with the level at
 * which it clears.
 */
export function conditionInputOf({ condition, clear }: RuleCondition): ConditionInput {
  const simple = simpleOf(condition);
  if (simple === undefined || simple.crosses) return { when: condition, clear };
  return { ...simple, clear: clear === null ? null : (clearLevelOf(clear, simple) ?? clear) };
}

function clearLevelOf(clear: string, { metric, above }: ConditionInput): number | undefined {
  const ast = treeOf(clear);
  if (ast?.op !== (above === undefined ? '>=' : '<=')) return undefined;
  return metricAt(ast.args[0]) === metric ? numberAt(ast.args[1]) : undefined;
}

/** Returns the syntax tree of a condition. Undefined: it cannot be read, as after a metric was renamed. */
const treeOf = (condition: string): ASTNode | undefined => unlessRefused(() => readExpression(condition).ast);

/**
 * Returns a condition with the given parts replaced. Parts that are left out stay. When the alert clears also stays, as
 * long as the condition is about the same metric on the same side.
 *
 * @throws UserError where the result cannot be read, or its level leaves no room for the one at which it clears
 */
export function changeCondition(before: RuleCondition, changes: ConditionInput): RuleCondition {
  const previous = conditionInputOf(before);
  const { when, is, above, below, clear } = changes;
  if ([changes.metric, above, below, is, when].every((each) => each === undefined))
    return clear === undefined
      ? { condition: before.condition, clear: before.clear }
      : conditionOf({ ...previous, clear });
  const metric = when === undefined ? (changes.metric ?? previous.metric) : changes.metric;
  const isSameComparison =
    metric !== undefined &&
    metric === previous.metric &&
    (above === undefined) === (previous.above === undefined);
  return conditionOf({
    ...{ metric, above, below, is, when },
    clear: clear === undefined && isSameComparison ? previous.clear : clear,
  });
}

/** One metric and one level. `crosses`: the condition asks when the metric crosses it. */
interface Simple {
  readonly metric: MetricName;
  readonly above?: number;
  readonly below?: number;
  readonly crosses?: true;
}

/** Returns the metric and the level of a condition. Undefined: it has another form, or cannot be read. */
export function simpleOf(condition: string): Simple | undefined {
  const ast = treeOf(condition);
  const crossing = ast && crossingAt(ast);
  if (ast === undefined || (crossing === undefined && ast.op !== '>' && ast.op !== '<')) return undefined;
  const [left, right] = crossing?.sides ?? (ast.args as [ASTNode, ASTNode]);
  const [metric, level] = [metricAt(left), numberAt(right)];
  if (metric === undefined || level === undefined) return undefined;
  const isAbove = crossing?.above ?? ast.op === '>';
  const side = isAbove ? { above: level } : { below: level };
  return { metric, ...side, ...(crossing !== undefined && { crosses: true }) };
}
