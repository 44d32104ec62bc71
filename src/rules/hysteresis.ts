import type { ASTNode } from '@marcbachmann/cel-js';
import { type Expression, metricAt, numeral } from './expression.ts';
import { metricOf } from './metrics.ts';

/**
 * When a condition is over where nobody said so: when it would not even hold with every level moved by its
 * metric's slack to the side that makes it easier. `funding.z > 2.5` is over at `funding.z <= 2.25`, so that a
 * value that wavers around 2.5 is told once.
 */
export function clearOf({ ast }: Expression): string {
  const edits: Edit[] = [];
  relax(ast, { easier: true, edits });
  const inverse = inverses[ast.op];
  const [left, right] = inverse === undefined ? [] : (ast.args as [ASTNode, ASTNode]);
  if (inverse === undefined || !isPlain(left) || !isPlain(right)) return `!(${edited(ast.input, { edits })})`;
  return `${edited(ast.input, { edits, range: left })} ${inverse} ${edited(ast.input, { edits, range: right })}`;
}

/** Nothing that would bind otherwise on the side of another operator. */
const isPlain = (node: ASTNode | undefined): node is ASTNode =>
  node !== undefined && (node.op === 'value' || metricAt(node) !== undefined || numberAt(node) !== undefined);

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Edit extends Range {
  readonly text: string;
}

const inverses: Readonly<Record<string, string>> = {
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
  '==': '!=',
  '!=': '==',
};

/** @param easier false within a negation, where what holds less easily makes the whole hold more easily */
function relax(node: ASTNode, { easier, edits }: { readonly easier: boolean; readonly edits: Edit[] }): void {
  switch (node.op) {
    case '&&':
    case '||':
      for (const part of node.args) relax(part, { easier, edits });
      return;
    case '!_':
      relax(node.args, { easier: !easier, edits });
      return;
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const [left, right] = node.args;
      const down = node.op.startsWith('>') === easier;
      move(left, { level: right, direction: down ? -1 : 1, edits });
      move(right, { level: left, direction: down ? 1 : -1, edits });
      return;
    }
  }
}

/** A level that moves, and where its edit is noted. */
interface Move {
  readonly level: ASTNode;
  readonly direction: 1 | -1;
  readonly edits: Edit[];
}

function move(subject: ASTNode, { level, direction, edits }: Move): void {
  const metric = metricOfSide(subject);
  const value = numberAt(level);
  if (metric === undefined || value === undefined) return;
  const slack = metricOf(metric).slack?.(value) ?? 0;
  edits.push({ start: level.start, end: level.end, text: numeral(value + direction * slack) });
}

/** The metric compared: itself, or its size. */
export const metricOfSide = (node: ASTNode) =>
  node.op === 'call' && node.args[1][0] !== undefined ? metricAt(node.args[1][0]) : metricAt(node);

export function numberAt(node: ASTNode): number | undefined {
  if (node.op === 'value') return typeof node.args === 'number' ? node.args : undefined;
  if (node.op !== '-_') return undefined;
  // Not `-(2)`: of parentheses, ranges hold half.
  const value = Number(node.input.slice(node.start, node.end));
  return Number.isNaN(value) ? undefined : value;
}

/** `range`: a node's, which leaves out parentheses around it; the whole where it is left out. */
function edited(
  input: string,
  { edits, range }: { readonly edits: readonly Edit[]; readonly range?: Range },
): string {
  const { start, end } = range ?? { start: 0, end: input.length };
  let text = '';
  let from = start;
  const within = edits.filter((edit) => edit.start >= start && edit.end <= end);
  for (const edit of within.sort((a, b) => a.start - b.start)) {
    text += input.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  // As people write it: it is read like what they wrote.
  return (text + input.slice(from, end)).replaceAll(/(\d)\.0(?!\d)/g, '$1');
}
