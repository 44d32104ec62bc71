import type { ASTNode } from '@marcbachmann/cel-js';
import { movedLevel, sizeRange } from '../alert/slack.ts';
import { crossingAt, type Expression, fromCel, metricAt, numeral } from './expression.ts';
import { metricOf } from './metrics.ts';

/**
 * Returns the condition that ends an alert if the rule has none of its own. It is true when the rule's condition would
 * not hold even with every level moved by its metric's slack to the side that makes the condition easier to meet, but
 * not out of the metric's range.
 * `funding.z > 2.5` ends at `funding.z <= 2.25`, so that a value that moves around 2.5 is reported once.
 */
export function clearOf({ ast }: Expression): string {
  const edits: Edit[] = [];
  relax(ast, true, edits);
  const [edit] = crossingAt(ast) === undefined ? [] : edits;
  if (edit !== undefined)
    return fromCel(edit.text.replace(/ [<>] /, (side) => (side === ' > ' ? ' <= ' : ' >= ')));
  const inverse = ast.op in inverses ? inverses[ast.op as ComparisonOperator] : undefined;
  const [left, right] = inverse === undefined ? [] : (ast.args as [ASTNode, ASTNode]);
  if (inverse === undefined || !isPlain(left) || !isPlain(right)) return `!(${applyEdits(ast.input, edits)})`;
  return `${applyEdits(ast.input, edits, left)} ${inverse} ${applyEdits(ast.input, edits, right)}`;
}

/** Returns whether a node can stand beside another operator without brackets. */
const isPlain = (node: ASTNode | undefined): node is ASTNode =>
  node !== undefined && (node.op === 'value' || metricAt(node) !== undefined || numberAt(node) !== undefined);

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Edit extends Range {
  readonly text: string;
}

export type ComparisonOperator = '>' | '>=' | '<' | '<=' | '==' | '!=';
export const inverses: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  '==': '!=',
  '!=': '==',
};

/**
 * Collects edits of the levels in a node that make the condition easier to meet.
 *
 * @param easier false within a negation: a part that is harder to meet makes the whole easier to meet
 */
function relax(node: ASTNode, easier: boolean, edits: Edit[]): void {
  switch (node.op) {
    case '&&':
    case '||':
      for (const part of node.args) relax(part, easier, edits);
      return;
    case '!_':
      relax(node.args, !easier, edits);
      return;
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const [left, right] = node.args;
      const down = node.op.startsWith('>') === easier;
      moveLevel(left, { level: right, direction: down ? -1 : 1, edits });
      moveLevel(right, { level: left, direction: down ? 1 : -1, edits });
      return;
    }
  }
  // What has crossed ends when it is back, as if the condition had asked on which side it is.
  const crossing = crossingAt(node);
  if (crossing === undefined) return;
  const [value, level] = crossing.sides;
  const moved: Edit[] = [];
  moveLevel(value, { level, direction: crossing.above === easier ? -1 : 1, edits: moved });
  const text = applyEdits(node.input, moved, level);
  edits.push({
    ...{ start: node.start, end: node.end },
    text: `${node.input.slice(value.start, value.end)} ${crossing.above ? '>' : '<'} ${text}`,
  });
}

/** A level to move, and the list to which its edit is added. */
interface Move {
  readonly level: ASTNode;
  readonly direction: 1 | -1;
  readonly edits: Edit[];
}

function moveLevel(subject: ASTNode, { level, direction, edits }: Move): void {
  const metric = metricOfSide(subject);
  const value = numberAt(level);
  if (metric === undefined || value === undefined) return;
  const { slack, range = {} } = metricOf(metric);
  if (slack === undefined) return;
  const moved = movedLevel(value, {
    ...{ direction, slack },
    range: subject.op === 'call' ? sizeRange(range) : range,
  });
  edits.push({ start: level.start, end: level.end, text: numeral(moved) });
}

/** Returns the metric on one side of a comparison, by itself or within `abs`. */
export const metricOfSide = (node: ASTNode) =>
  node.op === 'call' && node.args[0] === 'abs' && node.args[1][0] !== undefined
    ? metricAt(node.args[1][0])
    : metricAt(node);

export function numberAt(node: ASTNode): number | undefined {
  if (node.op === 'value') return typeof node.args === 'number' ? node.args : undefined;
  if (node.op !== '-_') return undefined;
  // `-(2)` is no number here: the range of a node in brackets holds only one of the brackets.
  const value = Number(node.input.slice(node.start, node.end));
  return Number.isNaN(value) ? undefined : value;
}

/**
 * Returns the input with the edits made. With `range`, only this part of it: the range of a node leaves out brackets
 * around it.
 */
function applyEdits(input: string, edits: readonly Edit[], range?: Range): string {
  const { start, end } = range ?? { start: 0, end: input.length };
  let text = '';
  let from = start;
  const within = edits.filter((edit) => edit.start >= start && edit.end <= end);
  for (const edit of within.sort((a, b) => a.start - b.start)) {
    text += input.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return fromCel(text + input.slice(from, end));
}
