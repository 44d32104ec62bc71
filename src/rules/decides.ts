import type { ASTNode } from '@marcbachmann/cel-js';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { levelsOf } from './excess.ts';
import { type Expression, metricAt, splitName, type View, visit } from './expression.ts';
import { type MetricName, metricOf } from './metrics.ts';

type Context = View['context'];

/**
 * The most combinations of values that a condition is tried with, some 30 ms: enough for four metrics with a level each. A
 * condition with more is not said to be always true.
 */
const maxTries = 10_000;
const beyondAnyLevel = 1e15;

/**
 * Checks that a new condition can be both true and false, by trying the values at which it may change, and that it compares
 * numbers. Rules that exist are not checked: what they compare may have been possible once.
 *
 * @throws UserError that says why the condition decides nothing
 */
export function checkDecides(expression: Expression): void {
  const { ast, test } = expression;
  const { tries, areAll } = contexts(expression);
  const numbers: ASTNode[] = [];
  visit(ast, (node) => {
    if (['+', '-', '*', '/'].includes(node.op)) numbers.push(node);
  });
  for (const node of numbers)
    if (!tries.some((context) => Number.isFinite(numberOf(node, context))))
      throw new UserError(
        msg('{part} is not a number, as after a division by zero: nothing can be compared with it.', {
          part: node.input.slice(node.start, node.end).replaceAll(/(\d)\.0(?!\d)/g, '$1'),
        }),
      );
  if (areAll && tries.every((context) => test({ has: () => true, context }) === true))
    throw new UserError(
      msg(
        'This is always true: it would fire at once, and never end. Give a level that can be on either side.',
      ),
    );
}

/**
 * Returns combinations of the metrics' values: around the levels of each, which are all numbers of the condition if it is not
 * only compared with numbers; at the ends of its range; and every label.
 */
function contexts(expression: Expression): { readonly tries: Context[]; readonly areAll: boolean } {
  const { ast, metrics } = expression;
  const numbers: number[] = [];
  visit(ast, (node) => {
    if (node.op === 'value' && typeof node.args === 'number') numbers.push(node.args, -node.args);
  });
  const levels = levelsOf(expression);
  const values = metrics.map((metric) => valuesOf(metric, [0, ...(levels.get(metric) ?? numbers)]));
  const count = values.reduce((product, { length }) => product * length, 1);
  const tries = Array.from({ length: Math.min(count, maxTries) }, (_, index) => {
    let rest = index;
    const context: Record<string, Record<string, number | string>> = {};
    for (const [position, metric] of metrics.entries()) {
      const own = values[position] ?? [];
      const [space, field] = splitName(metric);
      context[space] = { ...context[space], [field]: own[rest % own.length] ?? 0 };
      rest = Math.floor(rest / own.length);
    }
    return context;
  });
  return { tries, areAll: count <= maxTries };
}

function valuesOf(metric: MetricName, levels: readonly number[]): readonly (number | string)[] {
  const { labels, range, unit } = metricOf(metric);
  if (labels !== undefined) return labels;
  // A price is above 0.
  const least = unit === 'USDT' ? Number.MIN_VALUE : (range?.min ?? -beyondAnyLevel);
  const most = range?.max ?? beyondAnyLevel;
  const around = levels.flatMap((level) => {
    const step = Math.abs(level) / 1_000 || 0.001;
    return [level + step, level - step, level];
  });
  return [...new Set([...around, least, most])].filter((value) => value >= least && value <= most);
}

/** Returns the value of a part that is a number; NaN if it is none. */
function numberOf(node: ASTNode, context: Context): number {
  const metric = metricAt(node);
  if (metric !== undefined) {
    const [space, field] = splitName(metric);
    return Number(context[space]?.[field]);
  }
  switch (node.op) {
    case 'value':
      return typeof node.args === 'number' ? node.args : Number.NaN;
    case '-_':
      return -numberOf(node.args, context);
    case 'call':
      return Math.abs(numberOf(node.args[1][0] ?? node, context));
    case '+':
    case '-':
    case '*':
    case '/': {
      const [left, right] = node.args.map((part) => numberOf(part, context)) as [number, number];
      if (node.op === '+') return left + right;
      if (node.op === '-') return left - right;
      return node.op === '*' ? left * right : left / right;
    }
    // Which side is chosen does not matter here: each is a part of its own.
    case '?:':
      return numberOf(node.args[1], context);
    default:
      return Number.NaN;
  }
}
