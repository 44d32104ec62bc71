import type { ASTNode } from '@marcbachmann/cel-js';
import { words } from '../language/format.ts';
import { join, listOf, msg, type Text } from '../language/text.ts';
import { crossingAt, type Expression, fromCel, metricAt, numeral } from './expression.ts';
import { type ComparisonOperator, inverses, metricOfSide, numberAt } from './hysteresis.ts';
import { type MetricName, metricOf } from './metrics.ts';

/** A comparison of one metric, on the left, with one level. `size`: the metric counts without its sign. `crosses`: it has just passed it. */
export interface Comparison {
  readonly metric: MetricName;
  readonly size: boolean;
  readonly operator: ComparisonOperator;
  readonly level: number | string;
  readonly crosses?: true;
}

const flippedOperators: Readonly<Partial<Record<string, ComparisonOperator>>> = {
  '>': '<',
  '>=': '<=',
  '<': '>',
  '<=': '>=',
  '==': '==',
  '!=': '!=',
};

/** Returns the comparison that a node makes. Undefined: the node is anything else. */
export function comparisonOf(node: ASTNode): Comparison | undefined {
  const crossing = crossingAt(node);
  if (crossing !== undefined) {
    const [metric, level] = [metricAt(crossing.sides[0]), numberAt(crossing.sides[1])];
    const operator = crossing.above ? '>' : '<';
    return metric === undefined || level === undefined
      ? undefined
      : { ...{ metric, operator, level }, size: false, crosses: true };
  }
  const flipped = flippedOperators[node.op];
  if (flipped === undefined) return undefined;
  const [left, right] = node.args as [ASTNode, ASTNode];
  const [side, other, operator] =
    metricOfSide(left) === undefined ? [right, left, flipped] : [left, right, node.op as ComparisonOperator];
  const metric = metricOfSide(side);
  const level = other.op === 'value' && typeof other.args === 'string' ? other.args : numberAt(other);
  return metric === undefined || level === undefined
    ? undefined
    : { metric, size: side.op === 'call', operator, level };
}

/** Returns the level in the metric's unit, with no more digits than it has: `0%`, `$5M`, `risk-off`. */
function levelText(metric: MetricName, level: number | string): Text {
  if (typeof level === 'string') return words(level);
  const shown = metricOf(metric).show(level);
  if (typeof shown === 'string' || !('number' in shown)) return numeral(level);
  const { minimumFractionDigits: _, maximumFractionDigits: __, ...as } = shown.as;
  const digits =
    as.maximumSignificantDigits === undefined
      ? { maximumFractionDigits: 6 }
      : { maximumSignificantDigits: 8 };
  return { ...shown, as: { ...as, ...digits, signDisplay: 'negative' } };
}

/** How many digits more than usual a value is written with at most. */
const maxMoreDigits = 6;

/**
 * Returns a value in the metric's unit, with as many digits more than usual as it takes to show on which side of the
 * levels it is: 2.503 is not written as 2.50 beside a level of 2.5.
 */
export function valueWords(
  { metric, value }: { readonly metric: MetricName; readonly value: number | string },
  levels: readonly number[],
): Text {
  const { show } = metricOf(metric);
  const shown = show(value);
  if (typeof value !== 'number' || typeof shown === 'string' || !('number' in shown)) return shown;
  const { as } = shown;
  const { maximumSignificantDigits: significant, maximumFractionDigits: fraction = 0 } = as;
  const isOnItsSide = (rounded: number) =>
    levels.every((level) => Math.sign(rounded - level) === Math.sign(value - level));
  for (let more = 0; more <= maxMoreDigits; more += 1) {
    // The digits are those of the value: a metric in percent is a number of percent.
    const [rounded, digits] =
      significant === undefined
        ? [value.toFixed(fraction + more), { maximumFractionDigits: fraction + more }]
        : [value.toPrecision(significant + more), { maximumSignificantDigits: significant + more }];
    if (isOnItsSide(Number(rounded))) return { ...shown, as: { ...as, ...digits } };
  }
  return shown;
}

/** Returns the words of a comparison after its metric: `below 0%`. */
export function levelWords({ metric, size, operator, level, crosses }: Comparison): Text {
  const shown = levelText(metric, level);
  if (crosses) return crossingWords(operator === '>', shown);
  if (size && operator.startsWith('>')) return msg('beyond ±{level}', { level: shown });
  if (size && operator.startsWith('<')) return msg('within ±{level}', { level: shown });
  return sideWords(operator, shown);
}

const crossingWords = (above: boolean, level: Text): Text =>
  above ? msg('crosses above {level}', { level }) : msg('crosses below {level}', { level });

function sideWords(operator: ComparisonOperator, shown: Text): Text {
  switch (operator) {
    case '>':
      return msg('above {level}', { level: shown });
    case '>=':
      return msg('at or above {level}', { level: shown });
    case '<':
      return msg('below {level}', { level: shown });
    case '<=':
      return msg('at or below {level}', { level: shown });
    case '!=':
      return msg('not {level}', { level: shown });
    default:
      return shown;
  }
}

/**
 * Returns a condition in words: `funding above 0.1% and 24 h change below 0%`. Parts that words would make less clear,
 * such as sums, stay as they are written.
 */
export const conditionWords = ({ ast }: Expression): Text => nodeWords(ast);

function nodeWords(node: ASTNode): Text {
  const comparison = comparisonOf(node);
  if (comparison !== undefined) return join([metricOf(comparison.metric).words, levelWords(comparison)], ' ');
  switch (node.op) {
    case '&&':
    case '||':
      return joinedWords(node, false);
    case '!_':
      return negatedWords(node.args);
    case 'in':
      return membershipWords(node.args[0], node.args[1]) ?? asWritten(node);
    default:
      return linesWords(node) ?? asWritten(node);
  }
}

/** Returns what is said of two metrics, such as a close and an average, or of a sum of metrics and a level. */
function linesWords(node: ASTNode): Text | undefined {
  const crossing = crossingAt(node);
  const operator = flippedOperators[node.op] === undefined ? undefined : (node.op as ComparisonOperator);
  if (crossing === undefined && operator === undefined) return undefined;
  const [left, right] = crossing?.sides ?? (node.args as [ASTNode, ASTNode]);
  const summed = left.op === '+' ? left.args.map(metricAt) : [metricAt(left)];
  const [metric] = summed;
  const { unit } = metric === undefined ? { unit: '' } : metricOf(metric);
  const isOneUnit = summed.every((each) => each !== undefined && metricOf(each).unit === unit);
  // A sum of several units, or of numbers without one, is clearer as it is written.
  if (metric === undefined || !isOneUnit || (summed.length > 1 && unit === '')) return undefined;
  const subject = join(
    summed.map((each) => (each === undefined ? '' : metricOf(each).words)),
    ' + ',
  );
  const [line, level] = [metricAt(right), numberAt(right)];
  if (line === undefined && level === undefined) return undefined;
  const other = line === undefined ? levelText(metric, level ?? 0) : metricOf(line).words;
  const side =
    operator === undefined ? crossingWords(crossing?.above === true, other) : sideWords(operator, other);
  return join([subject, side], ' ');
}

/** Returns the opposite of a condition: `either falls below 2.25 / 0.5%`, or each part turned round. */
function negatedWords(node: ASTNode): Text {
  const comparison = comparisonOf(node);
  if (comparison !== undefined && comparison.crosses !== true) {
    const { metric, operator } = comparison;
    const negated = { ...comparison, operator: inverses[operator] };
    return join([metricOf(metric).words, levelWords(negated)], ' ');
  }
  if (node.op === '&&') return eitherLevels(node) ?? joinedWords(node, true);
  if (node.op === '||') return joinedWords(node, true);
  return node.op === '!_' ? nodeWords(node.args) : msg('not ({condition})', { condition: nodeWords(node) });
}

/** Returns how the first of two comparisons with a level in the same direction ends both. */
function eitherLevels({ args }: ASTNode): Text | undefined {
  const [one, other] = (args as [ASTNode, ASTNode]).map(comparisonOf);
  if (one === undefined || other === undefined || one.size || other.size) return undefined;
  const values = {
    levels: join([levelText(one.metric, one.level), levelText(other.metric, other.level)], ' / '),
  };
  const isAll = (sign: string) => [one, other].every(({ operator }) => operator.startsWith(sign));
  if (isAll('>')) return msg('either falls below {levels}', values);
  return isAll('<') ? msg('either rises above {levels}', values) : undefined;
}

/** Returns by which word the parts of a condition, or of its opposite, are joined. Undefined: it has one part. */
function joinerOf({ op, args }: ASTNode, isNegated: boolean): 'and' | 'or' | undefined {
  if (op === '!_') return joinerOf(args, !isNegated);
  if (op !== '&&' && op !== '||') return undefined;
  return (op === '&&') === isNegated ? 'or' : 'and';
}

/**
 * Returns two conditions joined by && or ||, or the opposite of both, in words. A part that is joined the other way is in brackets,
 * because it would be read with its neighbour.
 */
function joinedWords(node: ASTNode, isNegated: boolean): Text {
  const joiner = joinerOf(node, isNegated);
  const [one = '', other = ''] = (node.args as ASTNode[]).map((part) => {
    const words = isNegated ? negatedWords(part) : nodeWords(part);
    const own = joinerOf(part, isNegated);
    return own === undefined || own === joiner ? words : join(['(', words, ')'], '');
  });
  return joiner === 'and'
    ? msg('{one} and {other}', { one, other })
    : msg('{one} or {other}', { one, other });
}

function membershipWords(subject: ASTNode, list: ASTNode): Text | undefined {
  const metric = metricAt(subject);
  const labels =
    list.op === 'list' ? list.args.map(({ op, args }) => (op === 'value' ? args : undefined)) : [];
  return metric === undefined || labels.some((each) => typeof each !== 'string')
    ? undefined
    : msg('{metric} one of {labels}', {
        metric: metricOf(metric).words,
        labels: listOf(labels.map((each) => words(String(each)))),
      });
}

const asWritten = ({ input, start, end }: ASTNode): Text => fromCel(input.slice(start, end));
