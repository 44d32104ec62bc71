import type { ASTNode } from '@marcbachmann/cel-js';
import { UserError } from '../language/errors.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { levelsOf } from './excess.ts';
import {
  type Expression,
  fromCel,
  metricAt,
  numeral,
  readExpression,
  splitName,
  type View,
  visit,
  withoutCrossings,
} from './expression.ts';
import { type MetricName, metricOf } from './metrics.ts';

type Context = View['context'];

/** The most combinations of values that a condition is tried with, some 30 ms: enough for four metrics with a level each. */
const maxTries = 10_000;
const beyondAnyLevel = 1e15;

/**
 * Checks that a new condition can be both true and false, within the ranges of its metrics, and that it compares numbers.
 * What cannot be decided is taken. Rules that exist are not checked: what they compare may have been possible once.
 *
 * @throws UserError that says why the condition decides nothing
 */
export function checkDecides(expression: Expression, what: 'begin' | 'clear' = 'begin'): void {
  // What can be on either side of a level can cross it.
  if (expression.crosses) {
    checkDecides(readExpression(withoutCrossings(expression.text)), what);
    return;
  }
  const { ast, test, metrics } = expression;
  const { tries, areAll } = contexts(expression);
  const computed: ASTNode[] = [];
  visit(ast, (node) => {
    if (arithmetic.has(node.op)) computed.push(node);
  });
  for (const node of computed)
    if (!tries.some((context) => Number.isFinite(intervalOf(node, pointsIn(context))?.[0])))
      throw new UserError(
        msg('{part} is not a number, as after a division by zero: nothing can be compared with it.', {
          part: fromCel(node.input.slice(node.start, node.end)),
        }),
      );
  // Where nothing is computed a condition changes at its levels alone, so that the tries decide.
  const truths =
    areAll && computed.length === 0 ? tries.map((context) => test({ has: () => true, context })) : [];
  const only = truths.length > 0 && new Set(truths).size === 1 ? truths[0] : truthOf(ast);
  if (only === undefined) return;
  const ranges = only ? [] : metrics.flatMap(rangeText);
  throw new UserError(
    lines(consequences[what][`${only}`], ranges.length > 0 ? join(ranges, ' ') : undefined),
  );
}

const consequences = {
  begin: {
    true: msg(
      'This is always true: it would fire at once, and never end. Give a level that can be on either side.',
    ),
    false: msg('This can never be true: it would never fire. Give a level that can be on either side.'),
  },
  clear: {
    true: msg('The clear condition is always true: the alert would end as it begins. Give another one.'),
    false: msg('The clear condition can never be true: the alert would never end. Give another one.'),
  },
} as const;

function rangeText(metric: MetricName): Text[] {
  const { labels } = metricOf(metric);
  if (labels !== undefined) return [];
  const [min, max] = rangeOf(metric);
  if (min === -Infinity) return [];
  const from = numeral(min < Number.EPSILON && min > 0 ? 0 : min);
  return [
    max === Infinity
      ? msg('{metric} is at least {min}.', { metric, min: from })
      : msg('{metric} is from {min} to {max}.', { metric, min: from, max: numeral(max) }),
  ];
}

/**
 * Returns combinations of the metrics' values: at and between the levels of each, which are all numbers of the condition if it
 * is not only compared with numbers; at the ends of its range; and every label.
 */
function contexts(expression: Expression): { readonly tries: Context[]; readonly areAll: boolean } {
  const { ast, metrics } = expression;
  const numbers: number[] = [];
  visit(ast, (node) => {
    if (node.op === 'value' && typeof node.args === 'number') numbers.push(node.args, -node.args);
  });
  const levels = levelsOf(expression);
  const free = metrics.filter((metric) => !levels.has(metric));
  numbers.push(...free.flatMap(rangeOf));
  const values = metrics.map((metric) => {
    const own = levels.get(metric);
    // Metrics that are compared with each other must be tried in every order between the same two levels.
    return valuesOf(metric, { levels: own ?? numbers, between: own === undefined ? free.length : 1 });
  });
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

function valuesOf(
  metric: MetricName,
  { levels, between }: { readonly levels: readonly number[]; readonly between: number },
): readonly (number | string)[] {
  const { labels } = metricOf(metric);
  if (labels !== undefined) return labels;
  const [min, max] = rangeOf(metric);
  const [least, most] = [Math.max(min, -beyondAnyLevel), Math.min(max, beyondAnyLevel)];
  const inside = [...levels, 0].filter((level) => level > least && level < most);
  const points = [...new Set([least, ...inside, most])].sort((a, b) => a - b);
  const parts = Array.from({ length: between }, (_, index) => (index + 1) / (between + 1));
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    return next === undefined ? [point] : [point, ...parts.map((part) => point + (next - point) * part)];
  });
}

type Interval = readonly [least: number, most: number];

function rangeOf(metric: MetricName): Interval {
  const { range, unit } = metricOf(metric);
  // A price is above 0.
  return [unit === 'USDT' ? Number.MIN_VALUE : (range?.min ?? -Infinity), range?.max ?? Infinity];
}

/** Returns whether a condition is true of every value within the ranges, or of none; undefined where that is not certain. */
function truthOf(node: ASTNode): boolean | undefined {
  switch (node.op) {
    case 'value':
      return typeof node.args === 'boolean' ? node.args : undefined;
    case '!_': {
      const truth = truthOf(node.args);
      return truth === undefined ? undefined : !truth;
    }
    case '&&':
    case '||': {
      const decisive = node.op === '||';
      const truths = node.args.map(truthOf);
      if (truths.includes(decisive)) return decisive;
      return truths.includes(undefined) ? undefined : !decisive;
    }
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const [left, right] = node.args.map((part) => intervalOf(part));
      if (left === undefined || right === undefined) return undefined;
      const [greater, less] = node.op.startsWith('>') ? [left, right] : [right, left];
      const isEnough = node.op.endsWith('=')
        ? (a: number, b: number) => a >= b
        : (a: number, b: number) => a > b;
      if (isEnough(greater[0], less[1])) return true;
      return isEnough(greater[1], less[0]) ? undefined : false;
    }
    case '==':
    case '!=': {
      const [left, right] = node.args.map((part) => intervalOf(part));
      if (left === undefined || right === undefined) return undefined;
      return left[1] < right[0] || right[1] < left[0] ? node.op === '!=' : undefined;
    }
    default:
      return undefined;
  }
}

/** Between which numbers a metric lies; undefined if it is a label. */
type Ranges = (metric: MetricName) => Interval | undefined;

const wholeRanges: Ranges = (metric) => (metricOf(metric).labels === undefined ? rangeOf(metric) : undefined);

/** Each metric has one value. */
const pointsIn =
  (context: Context): Ranges =>
  (metric) => {
    const [space, field] = splitName(metric);
    const value = context[space]?.[field];
    return typeof value === 'number' ? [value, value] : undefined;
  };

/** Returns between which numbers a part lies; undefined if that is not known, or it is no number. */
function intervalOf(node: ASTNode, ranges: Ranges = wholeRanges): Interval | undefined {
  const metric = metricAt(node);
  if (metric !== undefined) return ranges(metric);
  const partsOf = (parts: readonly ASTNode[]) => parts.map((part) => intervalOf(part, ranges));
  switch (node.op) {
    case 'value':
      return typeof node.args === 'number' ? [node.args, node.args] : undefined;
    case '-_':
      return spanOf(partsOf([node.args]), ([value = 0]) => -value);
    case 'call': {
      const [size] = partsOf(node.args[1]);
      if (size === undefined) return undefined;
      const [least, most] = size;
      const farthest = Math.max(Math.abs(least), Math.abs(most));
      return [least <= 0 && most >= 0 ? 0 : Math.min(Math.abs(least), Math.abs(most)), farthest];
    }
    case '+':
      return spanOf(partsOf(node.args), ([left = 0, right = 0]) => left + right);
    case '-':
      return spanOf(partsOf(node.args), ([left = 0, right = 0]) => left - right);
    // 0 × ∞ is no number, but what lies between them and 0 is.
    case '*':
      return spanOf(partsOf(node.args), ([left = 0, right = 0]) => left * right || 0);
    case '/': {
      const [, divisor] = partsOf(node.args);
      return divisor === undefined || (divisor[0] <= 0 && divisor[1] >= 0)
        ? undefined
        : spanOf(partsOf(node.args), ([left = 0, right = 0]) => left / right);
    }
    case '?:': {
      const [one, other] = partsOf(node.args.slice(1));
      return one && other && [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
    }
    default:
      return undefined;
  }
}

/** Returns between which numbers the results of a function that is monotone in each of its intervals lie. */
function spanOf(
  parts: readonly (Interval | undefined)[],
  result: (values: readonly number[]) => number,
): Interval | undefined {
  let ends: readonly (readonly number[])[] = [[]];
  for (const part of parts) {
    if (part === undefined) return undefined;
    ends = ends.flatMap((values) => part.map((end) => [...values, end]));
  }
  const results = ends.map(result);
  return results.some(Number.isNaN) ? undefined : [Math.min(...results), Math.max(...results)];
}

const arithmetic: ReadonlySet<string> = new Set(['+', '-', '*', '/']);
